"""--head worktree: head's tree holds the user's files as they stand, and nothing of theirs changes."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import unittest

from scratch_repository import BATCHGATE, ScratchRepository

SUITE = """suite: smoke
workloads:
  - use: exec
    name: work
    run: ["true"]
"""


def contents(folder, without=()):
    """Every path below a folder with its kind, mode and bytes."""
    found = {}
    for top, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(top, name)
            relative = os.path.relpath(path, os.fsencode(folder))
            if relative.split(b"/")[0] in without:
                continue
            info = os.lstat(path)
            if stat.S_ISLNK(info.st_mode):
                found[relative] = ("link", os.readlink(path))
            elif stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    found[relative] = ("file", info.st_mode & 0o100, file.read())
    return found


class HeadWorktree(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.put("batchgate.yml", SUITE)
        self.put(".gitignore", "build/\nbatchgate-out/\n")
        for name in ("kept", "edited", "staged", "deleted", "becomes-folder", "moved", "tool"):
            self.put(name, f"{name}\n")
        self.put("folder/inner", "inner\n")
        self.put("becomes-file/inner", "inner\n")
        self.commit()

    def put(self, name, text):
        path = os.path.join(os.fsencode(self.repository), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode())

    def command(self, *words):
        return subprocess.run([BATCHGATE, *words], cwd=self.repository, env=self.environment,
                              capture_output=True, text=True, check=False)

    def judge(self, *options):
        """One launch: what is measured is not what is tested."""
        return self.gate("--head", "worktree", "--launches-max", "1", *options)

    def trees(self):
        """The folders of base and head, kept by a dry run."""
        done = self.command("gate", "--head", "worktree", "--dry-run", "--keep", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = pathlib.Path(re.search(r"kept in (.*)", done.stderr).group(1))
        base, = folder.glob("base-*")
        head, = folder.glob("head-*")
        return base, head

    def change_everything(self):
        self.put("edited", "other\n")
        self.put("staged", "other\n")
        self.git("add", "staged")
        (self.repository / "deleted").unlink()
        (self.repository / "becomes-folder").unlink()
        self.put("becomes-folder/new", "new\n")
        shutil.rmtree(self.repository / "becomes-file")
        self.put("becomes-file", "file\n")
        self.git("mv", "moved", "moved-to")
        os.chmod(self.repository / "tool", 0o755)
        os.symlink("kept", self.repository / "link")
        shutil.rmtree(self.repository / "folder")
        os.symlink(".", self.repository / "folder")
        self.put("untracked/deep/file", "new\n")
        self.put(b"odd \xff\nname", "odd\n")
        self.put("intended", "to add\n")
        self.git("add", "-N", "intended")
        self.put("build/object", "ignored\n")

    def test_head_is_the_files_as_they_stand(self):
        self.change_everything()
        _, head = self.trees()
        mine = contents(self.repository, (b".git", b"build", b"batchgate-out"))
        self.assertEqual(contents(head, (b".git",)), mine)
        self.assertIn(b"odd \xff\nname", mine)

    def test_base_is_the_commit_checked_out(self):
        before = contents(self.repository, (b".git",))
        self.change_everything()
        base, _ = self.trees()
        self.assertEqual(contents(base, (b".git",)), before)

    def test_nothing_of_the_users_changes(self):
        self.change_everything()
        before = contents(self.repository, (b"batchgate-out",))
        index = (self.repository / ".git/index").stat().st_mtime_ns
        _, report, said = self.judge()
        self.assertTrue(report, said)
        self.assertEqual(contents(self.repository, (b"batchgate-out",)), before)
        self.assertEqual((self.repository / ".git/index").stat().st_mtime_ns, index)

    def test_the_result_is_dirty_and_no_baseline(self):
        self.put("edited", "other\n")
        _, report, said = self.judge()
        self.assertTrue(report, said)
        self.assertTrue(report["head"]["dirty"])
        self.assertEqual(report["head"]["how"], "the work tree")
        self.assertEqual(report["base"]["how"], "the commit checked out")
        self.assertEqual(report["head"]["commit"], report["base"]["commit"])
        self.assertIn("1 files changed", " ".join(report["conditions"]))
        recorded = self.command("record")
        self.assertEqual(recorded.returncode, 2)
        self.assertEqual(recorded.stderr.count("\n"), 1)

    def test_an_unchanged_work_tree_is_judged_and_said(self):
        _, report, said = self.judge()
        self.assertTrue(report, said)
        self.assertFalse(report["head"]["dirty"])
        self.assertIn("the work tree has no changes", " ".join(report["conditions"]))

    def test_our_own_output_is_not_the_users_work(self):
        self.put(".gitignore", "build/\n")
        self.commit("without a line for it")
        self.judge()
        _, report, said = self.judge()
        self.assertFalse(report["head"]["dirty"], said)

    def test_a_plain_run_measures_the_work_tree_too(self):
        self.put("batchgate.yml", SUITE.replace("name: work", "name: fresh"))
        done = self.command("run", "--head", "worktree", "--quiet", "--launches", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fresh", done.stdout)

    def test_a_conflict_is_refused_in_one_line(self):
        self.git("branch", "-q", "other")
        self.put("edited", "ours\n")
        self.commit("ours")
        ours = "@{-1}"
        self.git("checkout", "-q", "other")
        self.put("edited", "theirs\n")
        self.commit("theirs")
        subprocess.run(["git", "merge", "-q", ours], cwd=self.repository, env=self.environment,
                       capture_output=True, check=False)
        status, _, said = self.judge()
        self.assertEqual(status, 2)
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("edited: has a merge conflict", said)

    def test_a_nested_repository_is_left_out_and_said(self):
        self.git("init", "-q", "nested")
        self.put("nested/file", "x\n")
        self.git("-C", "nested", "add", "-A")
        self.git("-C", "nested", "commit", "-qm", "n")
        _, head = self.trees()
        self.assertFalse((head / "nested").exists())
        _, report, _ = self.judge()
        self.assertIn("nested/ is a repository of its own", " ".join(report["conditions"]))

    def test_a_branch_of_that_name_has_a_longer_one(self):
        self.git("branch", "worktree")
        done = self.command("gate", "--head", "refs/heads/worktree", "--base", "HEAD", "--dry-run",
                            "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_work_tree_against_itself_is_refused(self):
        status, _, said = self.judge("--aa")
        self.assertEqual(status, 2)
        self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
