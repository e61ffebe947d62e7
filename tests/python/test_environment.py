"""What the suite's commands find in their environment, and which copy of a package they import."""
import subprocess
import sys
import unittest

from scratch_repository import ScratchRepository

SECRETS = ["GITHUB_TOKEN", "CI_JOB_TOKEN", "npm_config__authToken", "AWS_ACCESS_KEY_ID",
           "AWS_SESSION_TOKEN", "DEPLOY_KEY", "DB_PASS", "CI_JOB_JWT_V2", "ACTIONS_RUNTIME_URL",
           "CI_REPOSITORY_URL", "TOKEN", "INPUT_GITHUB-TOKEN", "SSH_AUTH_SOCK", "NPM_TOKEN",
           "GIT_AUTHOR_NAME", "PYPI_PASSWORD", "X_SECRET", "GITHUB_ENV"]
PLAIN = ["HOME", "PATH", "LANG", "KEYBOARD", "TOKENIZERS_PARALLELISM", "PASSAGE", "SECRET_LIFE"]
SUITE = """suite: s
workloads:
  - use: exec
    name: e
    run: {run}
    turns: step
arms:
  build: {build}
"""
COPY = "[cp, /proc/self/environ, {}]"


def variables(path):
    return [text.decode() for text in path.read_bytes().split(b"\0") if text]


class Environment(ScratchRepository):
    def run_gate(self):
        self.write("batchgate.yml", SUITE.format(run=COPY.format("exec.env"),
                                                 build=COPY.format("build.env")))
        self.commit()
        self.commit()
        return self.gate_and_keep("--launches-max", "1")

    def test_both_arms_get_the_same_bytes_and_no_secret(self):
        for name in SECRETS:
            self.environment[name] = "hidden-value"
        for name in PLAIN[2:]:
            self.environment[name] = "plain-value"
        trees, _ = self.run_gate()
        self.assertEqual(len(str(trees[0])), len(str(trees[1])))
        for name in ("exec.env", "build.env"):
            self.assertEqual((trees[0] / name).read_bytes(), (trees[1] / name).read_bytes())
            found = [text.split("=")[0] for text in variables(trees[0] / name)]
            self.assertNotIn("hidden-value", (trees[0] / name).read_text())
            self.assertEqual([n for n in PLAIN if n not in found], [])
            self.assertIn(f"HOME={self.environment['HOME']}", variables(trees[0] / name))

    def test_what_names_the_work_tree_names_the_arms_own(self):
        self.write("src/x", "")
        self.write("venv/pyvenv.cfg", "")
        self.write(".gitignore", "venv\nbuild\n.cargo\nbatchgate-out\n")
        mine = str(self.repository)
        self.environment.update({
            "PYTHONPATH": f"{mine}/src:/usr/share/x", "GITHUB_WORKSPACE": mine,
            "LD_LIBRARY_PATH": f"{mine}/build/lib", "CARGO_HOME": f"{mine}/.cargo",
            "CFLAGS": f"-O2 -I{mine}/src -I/x{mine}/src", "OTHER": f"{mine}2/src",
            "PATH": f"{mine}/venv/bin:{self.environment['PATH']}", "TMPDIR": mine,
            "VIRTUAL_ENV": f"{mine}/venv"})
        trees, report = self.run_gate()
        for tree in trees:
            found = variables(tree / "exec.env")
            for line in [f"PYTHONPATH={tree}/src:/usr/share/x", f"GITHUB_WORKSPACE={tree}",
                         f"LD_LIBRARY_PATH={tree}/build/lib", f"CARGO_HOME={mine}/.cargo",
                         f"CFLAGS=-O2 -I{tree}/src -I/x{mine}/src", f"OTHER={mine}2/src",
                         f"PATH={self.environment['PATH']}", f"TMPDIR={mine}",
                         f"VIRTUAL_ENV={mine}/venv"]:
                self.assertIn(line, found)
        self.assertEqual((trees[0] / "exec.env").stat().st_size,
                         (trees[1] / "exec.env").stat().st_size)
        said = [line.split(" ")[0] for line in report["conditions"] if "its own tree" in line]
        self.assertEqual(said, ["CFLAGS", "LD_LIBRARY_PATH", "PYTHONPATH"])


class LinkedEnvironment(ScratchRepository):
    """A virtual environment in the work tree, made visible by arms.link."""

    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip",
                        str(self.repository / ".venv")], check=True)
        self.packages = next((self.repository / ".venv" / "lib").glob("python3*/site-packages"))
        self.write(".gitignore", ".venv\nbatchgate-out\nwhere\n__pycache__\n")
        self.write("src/pkg/__init__.py", "version = 1\n")
        self.write("bench/bench.py", "import sys, pkg\n"
                   "open('where', 'w').write(f'{pkg.__file__}\\n{pkg.version}\\n{sys.prefix}')\n")
        self.write("batchgate.yml", "suite: s\nworkloads:\n  - use: exec\n    name: e\n"
                   "    run: .venv/bin/python bench/bench.py\n    turns: step\n"
                   "arms:\n  link: [.venv/]\n")

    def run_gate(self):
        self.commit()
        self.write("src/pkg/__init__.py", "version = 2\n")
        self.commit()
        self.write("src/pkg/__init__.py", "version = 3\n")
        return self.gate_and_keep("--launches-max", "1")

    def assert_own_copies(self, trees, report):
        for tree, version in zip(trees, ("1", "2")):
            where, got, prefix = (tree / "where").read_text(encoding="utf-8").split("\n")
            self.assertEqual((where, got), (f"{tree}/src/pkg/__init__.py", version))
            self.assertIn(prefix, (f"{tree}/.venv", f"{self.repository}/.venv"))
        self.assertTrue([line for line in report["conditions"]
                         if "each arm's own src comes first on PYTHONPATH" in line],
                        report["conditions"])

    def test_a_path_into_the_work_tree_leads_to_each_arms_own(self):
        (self.packages / "__editable__.pkg-1.pth").write_text(f"{self.repository}/src\n")
        self.assert_own_copies(*self.run_gate())

    def test_a_finder_into_the_work_tree_leads_to_each_arms_own(self):
        finder = "__editable___pkg_1_finder"
        (self.packages / f"{finder}.py").write_text(
            f"MAPPING = {{'pkg': '{self.repository}/src/pkg'}}\n"
            "import sys\nfrom importlib.machinery import PathFinder\n"
            "class Finder:\n    @staticmethod\n    def find_spec(name, path=None, target=None):\n"
            "        if name in MAPPING:\n"
            "            return PathFinder.find_spec(name, [MAPPING[name].rsplit('/', 1)[0]])\n"
            "def install():\n    sys.meta_path.append(Finder)\n")
        (self.packages / "__editable__.pkg-1.pth").write_text(
            f"import {finder}; {finder}.install()\n")
        self.assert_own_copies(*self.run_gate())

    def test_a_copy_of_the_work_tree_is_told(self):
        copy = self.packages / "pkg"
        copy.mkdir()
        (copy / "__init__.py").write_text("version = 0\n")
        info = self.packages / "pkg-1.dist-info"
        info.mkdir()
        (info / "direct_url.json").write_text(
            f'{{"url": "file://{self.repository}", "dir_info": {{}}}}')
        trees, report = self.run_gate()
        self.assertEqual((trees[0] / "where").read_text().split("\n")[1], "0")
        self.assertTrue([line for line in report["conditions"]
                         if "pkg-1.dist-info was installed from your work tree" in line],
                        report["conditions"])

    def test_an_environment_without_the_work_tree_is_no_matter(self):
        self.write("bench/pkg.py", "version = 5\n")
        _, report = self.run_gate()
        self.assertIn("both arms use your own .venv/ (arms.link)", report["conditions"])
        self.assertNotIn("your work tree", str(report["conditions"]))


if __name__ == "__main__":
    unittest.main()
