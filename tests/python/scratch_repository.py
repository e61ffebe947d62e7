"""A repository of its own for each test, and the gate run in it."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BATCHGATE = os.environ.get("BATCHGATE", str(ROOT / "build" / "batchgate"))


class ScratchRepository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.repository = self.root / "repository"
        (self.root / "home").mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"),
                            "XDG_CACHE_HOME": str(self.root / "cache"),
                            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        for who in ("AUTHOR", "COMMITTER"):
            self.environment[f"GIT_{who}_NAME"] = "a"
            self.environment[f"GIT_{who}_EMAIL"] = "a@example.org"
        self.repository.mkdir()
        self.git("init", "-q")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.repository, env=self.environment, check=True)

    def write(self, name, text):
        path = self.repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self, message="a commit"):
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty")

    def gate(self, *words):
        """Runs the gate; returns its exit status, its report, and what it said on stderr."""
        done = subprocess.run([BATCHGATE, "gate", "--quiet", "--seed", "2", *words],
                              cwd=self.repository, env=self.environment, capture_output=True,
                              text=True, check=False)
        path = self.repository / "batchgate-out" / "report.json"
        report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        return done.returncode, report, done.stderr

    def gate_and_keep(self, *words):
        """The same with both work trees left in place: base's and head's folder, and the report."""
        _, report, said = self.gate("--keep", *words)
        kept = re.search(r"work trees kept in (.*)", said)
        self.assertTrue(kept, said)
        trees = [next(pathlib.Path(kept.group(1)).glob(f"{arm}-*")) for arm in ("base", "head")]
        return trees, report
