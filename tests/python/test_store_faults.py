"""The store through faults, and in repositories of every shape. Beside test_store.py."""
import json
import signal
import subprocess
import time
import unittest

from store_scratch import BATCHGATE, CLASS, REF, Scratch, Server

MIRROR = f"refs/batchgate/mirror/origin/{CLASS}"


class Store(unittest.TestCase):
    def setUp(self):
        self.scratch = Scratch()
        self.addCleanup(self.scratch.remove)

    def serve(self):
        server = Server(self.scratch)
        self.addCleanup(server.stop)
        return server

    def push(self, clone, expected=0, env=None):
        code, out, err = self.scratch.run(clone, "baseline", "push", env=env)
        self.assertEqual(code, expected, out + err)
        return out + err

    def hook(self, name, text):
        path = self.scratch.origin / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path


class Refused(Store):
    def refused(self, clone, *parts):
        runs = self.scratch.spool(clone)
        said = self.push(clone, 4)
        for part in parts + ("batchgate/spool",):
            self.assertIn(part, said)
        self.assertEqual(self.scratch.spool(clone), runs)
        return said

    def test_hooks_that_decline_keep_the_record(self):
        clone = self.scratch.clone("one")
        run = self.scratch.record(clone)
        for name in ("pre-receive", "update"):
            tries = self.scratch.path / f"tries-{name}"
            hook = self.hook(name, f"echo >>{tries}; echo no records here >&2; exit 1\n")
            self.refused(clone, "hook declined")
            hook.unlink()
            # The reason ends it at once.
            self.assertEqual(tries.read_text(), "\n")
        self.assertEqual(self.scratch.runs(), [])
        self.push(clone)
        self.assertEqual(self.scratch.runs(), [run])

    def test_a_hidden_reference_is_no_empty_store(self):
        clone, git = self.scratch.clone("one"), self.scratch.git
        self.scratch.record(clone)
        git("config", "transfer.hideRefs", "refs/notes", cwd=self.scratch.origin)
        self.refused(clone, "hidden")
        git("config", "--unset", "transfer.hideRefs", cwd=self.scratch.origin)
        self.push(clone)
        # Hidden from pushes alone: fetching goes on showing it.
        git("config", "receive.hideRefs", "refs/notes", cwd=self.scratch.origin)
        run = self.scratch.record(clone)
        self.refused(clone, "hidden from pushes")
        self.assertNotIn(run, self.scratch.runs())

    def test_an_unreachable_remote_is_no_empty_store(self):
        clone = self.scratch.clone("one")
        self.scratch.record(clone)
        self.push(clone)
        run = self.scratch.record(clone)
        moved = self.scratch.origin.rename(self.scratch.path / "moved.git")
        self.refused(clone, "origin")
        code, _, err = self.scratch.run(clone, "baseline", "fetch")
        self.assertEqual(code, 4, err)
        # What was fetched before is still there to be read.
        self.assertIn(" 2      2        1", self.scratch.run(clone, "baseline", "list")[1])
        moved.rename(self.scratch.origin)
        self.push(clone)
        self.assertIn(run, self.scratch.runs())


class Faults(Store):
    def test_a_rerun_after_a_crash_before_the_spool_was_emptied_adds_nothing(self):
        clone = self.scratch.clone("one")
        run = self.scratch.record(clone)
        waiting = clone / ".git/batchgate/spool" / f"{run}.json"
        text = waiting.read_text()
        self.push(clone)
        tip = self.scratch.git("rev-parse", REF, cwd=self.scratch.origin)
        waiting.write_text(text)
        self.assertIn("had them already", self.push(clone))
        self.assertEqual(self.scratch.git("rev-parse", REF, cwd=self.scratch.origin), tip)
        self.assertEqual(self.scratch.runs(), [run])
        self.assertFalse(waiting.exists())

    def test_a_server_that_fails_once_is_asked_again(self):
        server = self.serve()
        clone = self.scratch.clone("one", url=server.url)
        self.scratch.record(clone)
        server.fault = "503 once"
        self.push(clone)
        self.assertEqual(len(self.scratch.runs()), 1)

    def test_a_foreign_mirror_is_overwritten_not_merged(self):
        clone = self.scratch.clone("one")
        run = self.scratch.record(clone)
        self.push(clone)
        self.scratch.git("update-ref", MIRROR, "HEAD", cwd=clone)
        code, out, err = self.scratch.run(clone, "baseline", "fetch")
        self.assertEqual(code, 0, err)
        self.assertIn("1 commit with records", out)
        self.assertEqual(self.scratch.runs(), [run])

    def test_a_reference_that_has_gone_goes_from_the_mirror(self):
        clone = self.scratch.clone("one")
        self.scratch.record(clone)
        self.push(clone)
        self.scratch.git("update-ref", "-d", REF, cwd=self.scratch.origin)
        for words in (["--class", CLASS], []):
            self.scratch.git("update-ref", MIRROR, "HEAD", cwd=clone)
            code, out, err = self.scratch.run(clone, "baseline", "fetch", *words)
            self.assertEqual(code, 0, err)
            self.assertIn("has no records", out)
            self.assertIn("no records here", self.scratch.run(clone, "baseline", "list")[1])

    def test_a_lock_left_by_a_killed_git_does_not_last(self):
        clone = self.scratch.clone("one")
        self.scratch.record(clone)
        self.push(clone)
        self.scratch.record(clone)
        # A second writer, so that the mirror has something to fetch.
        other = self.scratch.clone("two")
        self.scratch.record(other)
        self.push(other)
        lock = clone / ".git" / (MIRROR + ".lock")
        lock.write_text("")
        self.push(clone)
        self.assertEqual(len(self.scratch.runs()), 3)

    def test_a_full_disk_keeps_the_record(self):
        clone = self.scratch.clone("one")
        run = self.scratch.record(clone)
        script = 'trap "" XFSZ; ulimit -f 0; "$0" baseline push 2>&1 | cat; exit 0'
        said = subprocess.run(["sh", "-c", script, str(BATCHGATE)], cwd=clone, env=self.scratch.env,
                              capture_output=True, text=True, check=True).stdout
        self.assertIn("batchgate/spool", said)
        self.assertEqual(self.scratch.spool(clone), [run])
        self.push(clone)
        self.assertEqual(self.scratch.runs(), [run])

    def test_an_interrupt_keeps_the_record(self):
        clone = self.scratch.clone("one")
        run = self.scratch.record(clone)
        self.hook("pre-receive", "touch reached; sleep 60\n")
        process = self.scratch.start(clone, "baseline", "push")
        deadline = time.monotonic() + 60
        while not (self.scratch.origin / "reached").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        self.assertEqual(self.scratch.spool(clone), [run])


class Repositories(Store):
    def test_a_partial_clone_reads_what_it_has_to_fetch(self):
        self.scratch.git("config", "uploadpack.allowFilter", "true", cwd=self.scratch.origin)
        first = self.scratch.path / "first"
        self.scratch.record(first)
        self.push(first)
        clone = self.scratch.clone("one", "--filter=blob:none")
        # As a user's own fetch would: without the notes' contents.
        self.scratch.git("fetch", "-q", "origin", f"+{REF}:{MIRROR}", cwd=clone)
        code, out, err = self.scratch.run(clone, "baseline", "show")
        self.assertEqual(code, 0, err)
        self.assertIn("suite smoke", out)
        self.scratch.record(clone)
        self.push(clone)
        self.assertEqual(len(self.scratch.runs()), 2)

    def test_a_linked_work_tree_shares_the_spool(self):
        clone = self.scratch.clone("one")
        self.scratch.git("worktree", "add", "-q", "--detach", "../linked", cwd=clone)
        run = self.scratch.record(self.scratch.path / "linked")
        self.assertEqual(self.scratch.spool(clone), [run])
        self.push(self.scratch.path / "linked")
        self.assertEqual(self.scratch.runs(), [run])

    def test_a_submodule_has_a_store_of_its_own(self):
        parent = self.scratch.clone("parent")
        self.scratch.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
                         f"file://{self.scratch.origin}", "part", cwd=parent)
        run = self.scratch.record(parent / "part")
        self.assertEqual(list((parent / ".git").glob("batchgate")), [])
        self.push(parent / "part")
        self.assertEqual(self.scratch.runs(), [run])

    def test_variables_that_a_hook_sets_lead_nowhere_else(self):
        clone, other = self.scratch.clone("one"), self.scratch.clone("two")
        path = str(self.scratch.write_result(clone))
        env = {"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": str(other / ".git/index")}
        self.assertEqual(self.scratch.run(clone, "record", path, env=env)[0], 0)
        self.push(clone, env=env)
        self.assertEqual(len(self.scratch.runs()), 1)
        self.assertFalse((other / ".git/batchgate").exists())

    def test_what_libgit2_cannot_open_is_exit_4_with_a_cure_and_keeps_the_record(self):
        git = self.scratch.git
        git("init", "-q", "--object-format=sha256", "-b", "main", "sha256", cwd=self.scratch.path)
        clone = self.scratch.path / "sha256"
        self.scratch.commit(clone, "one")
        git("remote", "add", "origin", f"file://{self.scratch.origin}", cwd=clone)
        run = self.scratch.record(clone)
        said = self.push(clone, 4)
        self.assertIn("SHA-1", said)
        self.assertEqual(self.scratch.spool(clone), [run])
        code, _, err = self.scratch.run(self.scratch.origin, "baseline", "push")
        self.assertEqual((code, "bare" in err), (4, True), err)

    def test_sparse_and_partial_clones_with_extensions_of_their_own_publish(self):
        for number, (key, value) in enumerate((("worktreeConfig", "true"),
                                               ("partialClone", "origin"),
                                               ("preciousObjects", "true"))):
            clone, git = self.scratch.clone(f"one{number}"), self.scratch.git
            git("config", "core.repositoryFormatVersion", "1", cwd=clone)
            git("config", f"extensions.{key}", value, cwd=clone)
            run = self.scratch.record(clone)
            self.push(clone)
            self.assertIn(run, self.scratch.runs())
            self.assertIn(run, self.scratch.run(clone, "baseline", "show")[1])

    def test_addresses_are_rewritten_as_git_does(self):
        clone = self.scratch.clone("one")
        git = self.scratch.git
        git("remote", "set-url", "origin", "https://example.invalid/x.git", cwd=clone)
        git("config", f"url.file://{self.scratch.origin}.insteadOf",
            "https://example.invalid/x.git", cwd=clone)
        self.scratch.record(clone)
        self.push(clone)
        self.assertEqual(len(self.scratch.runs()), 1)

    def test_tokens_of_an_extra_header_reach_the_server_and_no_record(self):
        server = self.serve()
        clone = self.scratch.clone("one", url=server.url)
        self.scratch.git("config", f"http.{server.url}.extraheader",
                         "AUTHORIZATION: basic c2VjcmV0", cwd=clone)
        self.scratch.record(clone)
        said = self.push(clone)
        text = json.dumps(self.scratch.notes()) + said
        self.assertNotIn("c2VjcmV0", text)
        self.assertIn("AUTHORIZATION: basic c2VjcmV0", server.seen)

    def test_over_ssh_nobody_is_asked_and_the_users_command_is_kept(self):
        clone, git = self.scratch.clone("one"), self.scratch.git
        log, ssh = self.scratch.path / "argv", self.scratch.path / "ssh"
        ssh.write_text(f'#!/bin/sh\necho "$*" >>{log}\nfor last; do :; done\nexec sh -c "$last"\n')
        ssh.chmod(0o755)
        git("remote", "set-url", "origin", f"ssh://host.invalid{self.scratch.origin}", cwd=clone)
        git("config", "core.sshCommand", f"{ssh} -i key", cwd=clone)
        git("config", "ssh.variant", "ssh", cwd=clone)
        self.scratch.record(clone)
        self.push(clone)
        calls = log.read_text().splitlines()
        self.assertTrue(calls)
        for call in calls:
            self.assertTrue(call.startswith("-i key -o BatchMode=yes "), call)
        # What a user sets around it goes first, and another program is left as it is.
        other = self.scratch.path / "plink"
        ssh.rename(other)
        self.scratch.record(clone)
        log.unlink()
        self.push(clone, env={"GIT_SSH_COMMAND": f"{other} -x"})
        self.assertNotIn("BatchMode", log.read_text())
        self.assertTrue(log.read_text().startswith("-x "))

    def test_users_own_settings_of_push_and_fetch_change_nothing(self):
        clone, git = self.scratch.clone("one"), self.scratch.git
        for key, value in (("push.followTags", "true"), ("push.gpgSign", "true"),
                           ("fetch.prune", "true"), ("push.recurseSubmodules", "on-demand"),
                           ("push.default", "nothing"), ("fetch.recurseSubmodules", "true")):
            git("config", key, value, cwd=clone)
        git("config", "--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*", cwd=clone)
        git("tag", "-a", "-m", "tag", "tag", cwd=clone)
        self.scratch.record(clone)
        self.push(clone)
        self.assertEqual(len(self.scratch.runs()), 1)
        self.assertEqual(git("tag", cwd=self.scratch.origin), "")

    def test_no_force_refspec_and_the_lease_are_in_what_git_is_told(self):
        clone = self.scratch.clone("one")
        fake = self.scratch.path / "bin"
        fake.mkdir()
        log = self.scratch.path / "argv"
        real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True,
                              check=True).stdout.strip()
        (fake / "git").write_text(f'#!/bin/sh\necho "$*" >>{log}\nexec {real} "$@"\n')
        (fake / "git").chmod(0o755)
        self.scratch.record(clone)
        self.push(clone, env={"PATH": f"{fake}:{self.scratch.env['PATH']}"})
        pushes = [line for line in log.read_text().splitlines() if " push " in line]
        self.assertEqual(len(pushes), 1)
        words = pushes[0].split()
        self.assertIn(f"--force-with-lease={REF}:", words)
        self.assertNotIn("--force", words)
        self.assertFalse(any(word.startswith("+") for word in words))
        fetches = [line for line in log.read_text().splitlines() if " fetch " in line]
        self.assertFalse(any("--depth" in line for line in fetches))


if __name__ == "__main__":
    unittest.main()
