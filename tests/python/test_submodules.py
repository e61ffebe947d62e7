"""Arms whose commits name other repositories: submodules, Git LFS, and hooks that must not run."""
import hashlib
import os
import pathlib
import subprocess
import unittest

from scratch_repository import BATCHGATE, ScratchRepository

SUITE = """suite: smoke
workloads:
  - use: exec
    name: work
    run: ["true"]
"""


def every_file(folder):
    """Contents of all files below a folder, by path."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_symlink():
            found[str(path)] = os.readlink(path)
        elif path.is_file():
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


class Trees(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.environment["GIT_CONFIG_COUNT"] = "1"
        self.environment["GIT_CONFIG_KEY_0"] = "protocol.file.allow"
        self.environment["GIT_CONFIG_VALUE_0"] = "always"
        self.write(".gitignore", "batchgate-out/\n")
        self.write("batchgate.yml", SUITE)

    def in_git(self, folder, *words):
        done = subprocess.run(["git", *words], cwd=folder, env=self.environment, check=True,
                              capture_output=True, text=True)
        return done.stdout.strip()

    def library(self, name, text):
        """Another repository with one file."""
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        if not (folder / ".git").exists():
            self.in_git(folder, "init", "-q", "-b", "main")
        (folder / "file").write_text(text)
        self.in_git(folder, "add", "-A")
        self.in_git(folder, "commit", "-qm", text)
        return folder

    def trees(self, *words):
        """Base's and head's folder, the conditions, by a gate of one launch."""
        (base, head), report = self.gate_and_keep("--launches-max", "1", *words)
        return base, head, "\n".join(report["conditions"])


class Submodules(Trees):
    def setUp(self):
        super().setUp()
        self.lib = self.library("lib", "one")
        self.git("submodule", "--quiet", "add", str(self.lib), "deps/the lib")
        self.commit("first")
        self.library("lib", "two")
        self.in_git(self.repository / "deps/the lib", "pull", "-q", "origin", "main")
        self.commit("second")

    def test_each_arm_has_the_commit_that_it_records(self):
        base, head, _ = self.trees()
        self.assertEqual((base / "deps/the lib/file").read_text(), "one")
        self.assertEqual((head / "deps/the lib/file").read_text(), "two")
        for tree, text in ((base, "one"), (head, "two")):
            self.assertEqual(self.in_git(tree / "deps/the lib", "log", "-1", "--format=%s"), text)
            self.assertEqual(self.in_git(tree / "deps/the lib", "status", "--short"), "")

    def test_a_build_that_updates_submodules_itself(self):
        self.write("batchgate.yml", SUITE +
                   "arms:\n  build: git submodule update --init --recursive\n")
        self.commit("third")
        status, report, said = self.gate("--launches-max", "1", "--no-cache")
        self.assertNotIn(report["cells"][0]["verdict"], ("BROKEN", "FAILED", "NEW"), said)

    def test_a_work_tree_whose_submodule_differs_is_dirty(self):
        (self.repository / "deps/the lib/file").write_text("edited")
        _, report, said = self.gate("--launches-max", "1", "--head", "worktree")
        self.assertTrue(report["head"]["dirty"], said)
        self.assertIn("submodule deps/the lib differs", "\n".join(report["conditions"]))
        done = subprocess.run([BATCHGATE, "record"], cwd=self.repository, env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_nothing_of_the_users_repository_changes(self):
        before = every_file(self.repository / ".git")
        self.gate("--launches-max", "1")
        after = every_file(self.repository / ".git")
        self.assertEqual({k: v for k, v in after.items() if "/batchgate/" not in k}, before)

    def test_a_submodule_in_a_submodule_is_filled_too(self):
        inner = self.library("inner", "deep")
        self.in_git(self.lib, "submodule", "--quiet", "add", str(inner), "inner")
        self.in_git(self.lib, "commit", "-qm", "with inner")
        self.in_git(self.repository / "deps/the lib", "pull", "-q", "origin", "main")
        self.commit("third")
        self.git("submodule", "--quiet", "update", "--init", "--recursive")
        base, head, _ = self.trees()
        self.assertEqual((head / "deps/the lib/inner/file").read_text(), "deep")
        self.assertFalse((base / "deps/the lib/inner").exists())

    def test_one_that_only_head_has_and_one_that_moved(self):
        other = self.library("other", "new")
        self.git("submodule", "--quiet", "add", str(other), "other")
        self.git("mv", "deps/the lib", "moved")
        self.commit("third")
        base, head, _ = self.trees()
        self.assertEqual((head / "other/file").read_text(), "new")
        self.assertEqual((head / "moved/file").read_text(), "two")
        self.assertEqual((base / "deps/the lib/file").read_text(), "two")
        self.assertFalse((base / "other").exists())

    def test_one_that_the_clone_never_initialised_stays_empty_and_is_said(self):
        clone = self.root / "clone"
        self.in_git(self.root, "clone", "-q", str(self.repository), str(clone))
        self.repository = clone
        _, head, notes = self.trees()
        self.assertEqual(list((head / "deps/the lib").iterdir()), [])
        self.assertIn("submodule deps/the lib is empty", notes)

    def forget_commits(self):
        """The user's clone of the submodule loses all that its remote has since made."""
        self.library("lib", "three")
        commit = self.in_git(self.lib, "rev-parse", "HEAD")
        self.git("update-index", "--cacheinfo", f"160000,{commit},deps/the lib")
        self.git("commit", "-qm", "third")
        return commit

    def test_a_commit_that_is_not_here_is_fetched_into_the_arm_alone(self):
        self.forget_commits()
        self.in_git(self.lib, "config", "uploadpack.allowAnySHA1InWant", "true")
        before = every_file(self.repository / ".git/modules")
        _, head, _ = self.trees()
        self.assertEqual((head / "deps/the lib/file").read_text(), "three")
        self.assertEqual(every_file(self.repository / ".git/modules"), before)

    def test_one_that_cannot_be_fetched_is_told_in_one_line(self):
        commit = self.forget_commits()
        self.lib.rename(self.root / "gone")
        for words in ((), ("--no-fetch",)):
            status, _, said = self.gate(*words)
            self.assertEqual(status, 4)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(commit[:12], said)
            self.assertIn("git submodule update", said)

    def test_a_linked_work_tree_has_its_submodules_elsewhere(self):
        linked = self.root / "linked"
        self.git("worktree", "add", "-q", "-b", "side", str(linked))
        self.in_git(linked, "submodule", "--quiet", "update", "--init")
        self.git("submodule", "--quiet", "deinit", "--force", "--all")
        self.repository = linked
        _, head, _ = self.trees()
        self.assertEqual((head / "deps/the lib/file").read_text(), "two")

    def test_a_name_that_leads_out_of_the_repository_is_refused(self):
        text = (self.repository / ".gitmodules").read_text()
        self.write(".gitmodules", text.replace('"deps/the lib"', '"../../../etc"'))
        self.commit("hostile")
        status, _, said = self.gate("--aa")
        self.assertEqual(status, 2, said)
        self.assertEqual(said.count("\n"), 1)


class Hooks(Trees):
    """Whatever a hook, a monitor or a filter of the repository would write never appears."""

    def setUp(self):
        super().setUp()
        self.canary = self.root / "canary"
        self.script = self.root / "script"
        self.script.write_text(f"#!/bin/sh\necho ran >>{self.canary}\n")
        self.script.chmod(0o755)

    def put_hooks(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-push",
                     "post-rewrite", "fsmonitor-watchman"):
            (folder / name).write_text(self.script.read_text())
            (folder / name).chmod(0o755)

    def gate_without_canary(self):
        self.canary.unlink(missing_ok=True)
        status, report, said = self.gate("--launches-max", "1")
        self.assertIsNotNone(report, said)
        self.assertFalse(self.canary.exists())

    def test_hooks_of_the_repository_and_of_the_users_settings(self):
        lib = self.library("lib", "one")
        self.git("submodule", "--quiet", "add", str(lib), "lib")
        self.commit("first")
        self.commit("second")
        self.put_hooks(self.repository / ".git/hooks")
        self.put_hooks(self.repository / ".git/modules/lib/hooks")
        self.gate_without_canary()
        self.put_hooks(self.root / "hooks")
        self.git("config", "core.hooksPath", str(self.root / "hooks"))
        self.gate_without_canary()

    def test_a_file_system_monitor(self):
        self.commit("first")
        self.commit("second")
        self.git("config", "core.fsmonitor", str(self.script))
        self.gate_without_canary()

    def test_a_filter_that_only_attributes_name(self):
        self.write(".gitattributes", "*.bin filter=evil\n")
        self.write("a.bin", "bytes\n")
        self.commit("first")
        self.commit("second")
        self.gate_without_canary()

    def test_a_transport_that_runs_a_command(self):
        lib = self.library("lib", "one")
        self.git("submodule", "--quiet", "add", str(lib), "lib")
        self.commit("first")
        self.library("lib", "two")
        commit = self.in_git(lib, "rev-parse", "HEAD")
        self.git("update-index", "--cacheinfo", f"160000,{commit},lib")
        self.git("commit", "-qm", "second")
        self.in_git(self.repository / ".git/modules/lib", "config", "remote.origin.url",
                    f"ext::{self.script}")
        status, _, _ = self.gate()
        self.assertEqual(status, 4)
        self.assertFalse(self.canary.exists())


class LargeFiles(Trees):
    POINTER = ("version https://git-lfs.github.com/spec/v1\n"
               "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n")

    def setUp(self):
        super().setUp()
        self.write(".gitattributes", "*.bin filter=lfs -text\n")
        self.write("a.bin", self.POINTER)
        self.write("b.bin", self.POINTER)
        self.write("c.bin", "contents, not a pointer\n")
        self.commit("first")
        self.commit("second")

    def test_pointers_are_counted_and_said(self):
        _, _, notes = self.trees()
        self.assertIn("base: 2 files of Git LFS hold a pointer", notes)
        self.assertIn("head: 2 files of Git LFS hold a pointer", notes)

    def test_a_filter_that_gives_the_contents_is_used(self):
        filter_program = self.root / "lfs"
        filter_program.write_text("#!/bin/sh\ncat >/dev/null\necho smudged\n")
        filter_program.chmod(0o755)
        self.git("config", "filter.lfs.smudge", str(filter_program))
        _, head, notes = self.trees()
        self.assertEqual((head / "a.bin").read_text(), "smudged\n")
        self.assertNotIn("Git LFS", notes)

    def test_a_filter_that_is_required_and_missing_is_one_line(self):
        self.git("config", "filter.lfs.smudge", str(self.root / "nowhere"))
        self.git("config", "filter.lfs.required", "true")
        status, _, said = self.gate()
        self.assertEqual(status, 4)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("lfs", said)


class OddRepositories(Trees):
    def setUp(self):
        super().setUp()
        self.write("folder/file", "one\n")
        self.commit("first")
        self.write("folder/file", "two\n")
        self.commit("second")

    def test_a_sparse_checkout_judges_whole_commits(self):
        self.git("sparse-checkout", "set", "--cone")
        self.assertFalse((self.repository / "folder").exists())
        base, head, _ = self.trees()
        self.assertEqual((base / "folder/file").read_text(), "one\n")
        self.assertEqual((head / "folder/file").read_text(), "two\n")
        self.assertFalse((self.repository / "folder").exists())

    def test_variables_of_a_hook_point_nowhere(self):
        self.environment.update(GIT_DIR=str(self.root / "nowhere"), GIT_INDEX_FILE="/nowhere",
                                GIT_WORK_TREE="/", GIT_PREFIX="x/")
        status, report, said = self.gate("--launches-max", "1")
        self.assertIsNotNone(report, said)
        self.assertIn(status, (0, 3))

    def test_a_repository_reached_through_a_link(self):
        link = self.root / "link"
        link.symlink_to(self.repository)
        self.repository = link
        base, head, _ = self.trees()
        self.assertEqual((head / "folder/file").read_text(), "two\n")

    def test_a_detached_head(self):
        self.git("checkout", "-q", "--detach")
        _, head, _ = self.trees()
        self.assertEqual((head / "folder/file").read_text(), "two\n")

    def test_a_partial_clone_brings_what_it_lacks(self):
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        clone = self.root / "partial"
        self.in_git(self.root, "clone", "-q", "--filter=blob:none", f"file://{self.repository}",
                    str(clone))
        self.repository = clone
        base, head, _ = self.trees("--base", "HEAD~1")
        self.assertEqual((base / "folder/file").read_text(), "one\n")
        self.assertEqual((head / "folder/file").read_text(), "two\n")

    def test_the_gate_runs_from_a_linked_work_tree(self):
        linked = self.root / "linked"
        self.git("worktree", "add", "-q", str(linked), "-b", "side")
        self.repository = linked
        _, head, _ = self.trees()
        self.assertEqual((head / "folder/file").read_text(), "two\n")


if __name__ == "__main__":
    unittest.main()
