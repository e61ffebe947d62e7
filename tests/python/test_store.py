"""Baselines in notes of git: recorded, pushed, fetched and found, on real repositories and servers."""
import json
import re
import stat
import subprocess
import unittest

from store_scratch import CLASS, REF, Scratch, Server

MIRROR = f"refs/batchgate/mirror/origin/{CLASS}"


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.scratch = Scratch()
        self.addCleanup(self.scratch.remove)

    def push(self, clone, **more):
        return self.scratch.run(clone, "baseline", "push", **more)

    def must_push(self, clone):
        code, out, err = self.push(clone)
        self.assertEqual(code, 0, err)
        return out

    def one_line(self, text):
        self.assertEqual(text.count("\n"), 1, text)


class Publishing(StoreTest):
    def test_a_record_waits_is_published_and_is_seen_by_another_clone(self):
        clone, other = self.scratch.clone("a"), self.scratch.clone("b")
        run = self.scratch.record(clone)
        self.assertEqual(self.scratch.spool(clone), [run])
        self.must_push(clone)
        self.assertEqual(self.scratch.spool(clone), [])
        self.assertEqual(self.scratch.runs(), [run])
        code, out, _ = self.scratch.run(other, "baseline", "list")
        self.assertEqual(code, 0)
        self.assertIn("no records here", out)
        self.assertEqual(self.scratch.run(other, "baseline", "fetch")[0], 0)
        self.assertIn(run, self.scratch.run(other, "baseline", "show", "HEAD")[1])

    def push_from_twelve(self, url):
        clones = [self.scratch.clone(f"c{i}", url=url) for i in range(12)]
        runs = sorted(self.scratch.record(clone) for clone in clones)
        pushes = [self.scratch.start(clone, "baseline", "push") for clone in clones]
        for process in pushes:
            _, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.scratch.runs(), runs)
        self.assertEqual(sum((self.scratch.spool(clone) for clone in clones), []), [])

    def test_twelve_clones_that_push_at_once_over_a_file_url_lose_nothing(self):
        self.push_from_twelve(None)

    def test_twelve_clones_that_push_at_once_over_http_lose_nothing(self):
        server = Server(self.scratch)
        self.addCleanup(server.stop)
        self.push_from_twelve(server.url)

    def test_eight_processes_that_record_in_one_checkout_lose_nothing(self):
        clone = self.scratch.clone("a")
        path = str(self.scratch.write_result(clone))
        processes = [self.scratch.start(clone, "record", path) for _ in range(8)]
        runs = []
        for process in processes:
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
            runs.append(out.split()[1])
        self.assertEqual(self.scratch.spool(clone), sorted(runs))
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), sorted(runs))

    def test_two_pushes_in_one_checkout_publish_each_record_once(self):
        clone = self.scratch.clone("a")
        runs = sorted(self.scratch.record(clone) for _ in range(3))
        pushes = [self.scratch.start(clone, "baseline", "push") for _ in range(2)]
        for process in pushes:
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.scratch.runs(), runs)

    def test_records_of_several_commits_and_classes_go_together(self):
        clone = self.scratch.clone("a")
        first = self.scratch.record(clone, "HEAD")
        second = self.scratch.record(clone, "HEAD~1")
        third = self.scratch.record(clone, "HEAD", runner_class="c2-test")
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), sorted([first, second]))
        self.assertEqual(self.scratch.runs("refs/notes/batchgate/v1/c2-test"), [third])

    def test_nothing_else_of_the_repository_changes(self):
        clone = self.scratch.clone("a")
        before = (clone / ".git/config").read_bytes()
        self.scratch.record(clone)
        self.must_push(clone)
        self.assertEqual((clone / ".git/config").read_bytes(), before)
        self.assertFalse((clone / ".git/FETCH_HEAD").exists())
        self.assertEqual(self.scratch.git("rev-parse", "--is-shallow-repository", cwd=clone), "false")
        refs = self.scratch.git("for-each-ref", "--format=%(refname)", cwd=clone).split()
        ours = [ref for ref in refs if "batchgate" in ref]
        self.assertEqual(ours, [MIRROR])

    def test_a_shallow_clone_publishes_and_stays_as_it_is(self):
        clone = self.scratch.clone("a", "--depth=1")
        run = self.scratch.record(clone)
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), [run])
        self.assertEqual(self.scratch.git("rev-list", "--count", "HEAD", cwd=clone), "1")

    def test_a_mirror_that_is_empty_or_stale_never_shrinks_the_remote(self):
        clone, other = self.scratch.clone("a"), self.scratch.clone("b")
        first = self.scratch.record(clone)
        self.must_push(clone)
        stale = self.scratch.git("rev-parse", MIRROR, cwd=clone)
        second = self.scratch.record(other)
        self.must_push(other)
        self.scratch.git("update-ref", MIRROR, stale, cwd=clone)
        third = self.scratch.record(clone)
        self.must_push(clone)
        self.scratch.git("update-ref", "-d", MIRROR, cwd=clone)
        fourth = self.scratch.record(clone)
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), sorted([first, second, third, fourth]))


class Refusals(StoreTest):
    def hook(self, name, text):
        path = self.scratch.origin / "hooks" / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def refused(self, clone, *words):
        run = self.scratch.record(clone)
        code, _, err = self.push(clone)
        self.assertEqual(code, 4, err)
        self.one_line(err)
        for word in words:
            self.assertIn(word, err)
        self.assertEqual(self.scratch.spool(clone), [run])
        return run

    def test_a_hook_that_declines_stops_at_once_and_the_record_waits(self):
        self.hook("pre-receive", "exit 1\n")
        clone = self.scratch.clone("a")
        run = self.refused(clone, "hook declined")
        (self.scratch.origin / "hooks/pre-receive").unlink()
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), [run])

    def test_a_protected_reference(self):
        self.hook("update", "echo protected >&2\nexit 1\n")
        self.refused(self.scratch.clone("a"), "hook declined")

    def test_a_hidden_reference(self):
        self.scratch.git("config", "receive.hideRefs", "refs/notes", cwd=self.scratch.origin)
        self.refused(self.scratch.clone("a"), "hidden")

    def test_a_hidden_reference_that_exists(self):
        clone = self.scratch.clone("a")
        self.scratch.record(clone)
        self.must_push(clone)
        self.scratch.git("config", "transfer.hideRefs", "refs/notes", cwd=self.scratch.origin)
        self.refused(clone)

    def test_a_server_that_forbids(self):
        server = Server(self.scratch)
        self.addCleanup(server.stop)
        server.fault = "403"
        self.refused(self.scratch.clone("a", url=server.url), "403")

    def test_a_server_that_is_not_there(self):
        clone = self.scratch.clone("a")
        self.scratch.git("remote", "set-url", "origin", str(self.scratch.path / "gone.git"), cwd=clone)
        self.refused(clone)

    def test_a_reply_that_is_lost_after_the_server_took_it_adds_nothing_twice(self):
        server = Server(self.scratch)
        self.addCleanup(server.stop)
        clone = self.scratch.clone("a", url=server.url)
        run = self.scratch.record(clone)
        server.fault = "cut after push"
        code, _, err = self.push(clone)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.scratch.runs(), [run])
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), [run])

    def test_a_remote_by_address_is_no_remote(self):
        clone = self.scratch.clone("a")
        self.scratch.record(clone)
        code, _, err = self.scratch.run(clone, "baseline", "push", "--remote",
                                        f"file://{self.scratch.origin}")
        self.assertEqual(code, 2, err)
        self.one_line(err)


class Reading(StoreTest):
    """Notes as others may have left them: any depth, bad lines, foreign text."""

    def published(self, count=1):
        clone = self.scratch.clone("a")
        runs = [self.scratch.record(clone) for _ in range(count)]
        self.must_push(clone)
        return clone, runs

    def put_tree(self, entries):
        """Makes the origin's notes of {path: text}, as git's own index writes them."""
        index = self.scratch.path / "index"
        index.unlink(missing_ok=True)
        env = {**self.scratch.env, "GIT_INDEX_FILE": str(index)}
        for path, text in entries.items():
            blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=text.encode(),
                                  cwd=self.scratch.origin, env=env, check=True,
                                  capture_output=True).stdout.decode().strip()
            subprocess.run(["git", "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"],
                           cwd=self.scratch.origin, env=env, check=True)
        tree = subprocess.run(["git", "write-tree"], cwd=self.scratch.origin, env=env, check=True,
                              capture_output=True, text=True).stdout.strip()
        commit = self.scratch.git("commit-tree", tree, "-m", "notes", cwd=self.scratch.origin)
        self.scratch.git("update-ref", REF, commit, cwd=self.scratch.origin)

    def show(self, clone):
        self.assertEqual(self.scratch.run(clone, "baseline", "fetch")[0], 0)
        return self.scratch.run(clone, "baseline", "show")

    def lines(self):
        (commit, lines), = self.scratch.notes().items()
        return commit, lines

    def test_every_depth_is_read_and_the_same_commit_at_two_is_both(self):
        clone, runs = self.published(3)
        commit, lines = self.lines()
        for paths in ([commit, f"{commit[:2]}/{commit[2:]}", f"{commit[:2]}/{commit[2:4]}/{commit[4:]}"],):
            self.put_tree({path: line + "\n" for path, line in zip(paths, lines)})
        code, out, err = self.show(clone)
        self.assertEqual(code, 0, err)
        for run in runs:
            self.assertIn(run, out)
        more = self.scratch.record(clone)
        self.must_push(clone)
        self.assertEqual(self.scratch.runs(), sorted(runs + [more]))
        listing = self.scratch.git("ls-tree", "-r", "--name-only", REF, cwd=self.scratch.origin)
        self.assertEqual(listing.split(), [f"{commit[:2]}/{commit[2:]}"])

    def test_blank_lines_carriage_returns_and_foreign_text_leave_the_others_usable(self):
        clone, runs = self.published()
        commit, (line,) = self.lines()
        self.put_tree({commit: f"\nReviewed by somebody\r\n{line}\r\n\n"})
        code, out, err = self.show(clone)
        self.assertEqual(code, 0)
        self.assertIn(runs[0], out)
        self.assertIn("1 that are no records", err)

    def test_a_truncated_record_is_told_and_makes_the_commit_no_baseline(self):
        clone, runs = self.published()
        commit, (line,) = self.lines()
        self.put_tree({commit: line + "\n" + line.replace(runs[0], "0" * 32)[:-20] + "\n"})
        code, out, err = self.show(clone)
        self.assertEqual(code, 3)
        self.assertIn(runs[0], out)
        self.assertIn("1 record cannot be read", err)

    def test_another_version_class_or_commit_is_counted_and_kept(self):
        clone, runs = self.published()
        commit, (line,) = self.lines()
        other = line.replace("batchgate.record/1", "batchgate.record/7")
        alien = line.replace(f'"{CLASS}"', '"c9-other"')
        self.put_tree({commit: f"{line}\n{other}\n{alien}\n"})
        code, out, err = self.show(clone)
        self.assertEqual(code, 0)
        self.assertEqual(out.count("\nrun "), 1)
        self.assertIn("1 line of another version, 1 of another commit or class", err)
        self.scratch.record(clone)
        self.must_push(clone)
        kept = self.scratch.notes()[commit]
        self.assertIn(other, kept)
        self.assertIn(alien, kept)

    def test_a_note_of_megabytes_is_read_and_grown(self):
        clone, runs = self.published()
        commit, (line,) = self.lines()
        many = [line.replace(runs[0], f"{number:032x}") for number in range(5 * 2**20 // len(line))]
        self.put_tree({commit: "\n".join([line] + many) + "\n"})
        run = self.scratch.record(clone)
        self.must_push(clone)
        self.assertEqual(len(self.scratch.runs()), len(many) + 2)
        self.assertIn(run, self.scratch.runs())

    def test_time_in_a_record_decides_nothing(self):
        clone, _ = self.published()
        commit, (line,) = self.lines()
        record = json.loads(line)
        record["time_utc"] = "2999-01-01T00:00:00"
        self.put_tree({commit: json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n"})
        self.assertEqual(self.show(clone)[0], 0)

    def test_names_that_could_act_on_a_terminal_do_not(self):
        clone, runs = self.published()
        commit, (line,) = self.lines()
        record = json.loads(line)
        record["branch"] = "a\u001b]0;title\u0007\n::error::x"
        self.put_tree({commit: json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n"})
        _, out, _ = self.show(clone)
        self.assertIn(runs[0], out)
        self.assertNotIn("\x1b", out)
        self.assertFalse(re.search(r"^::", out, re.M))


class Recording(StoreTest):
    def test_what_cannot_be_a_baseline_is_refused_in_one_line(self):
        clone = self.scratch.clone("a")
        path = self.scratch.write_result(clone)
        result = json.loads(path.read_text())
        for change in ({"virtual_clock": True}, {"runner_class": None}, {"runner_class": "../x"}):
            path.write_text(json.dumps({**result, **change}))
            code, _, err = self.scratch.run(clone, "record", str(path))
            self.assertEqual(code, 2, change)
            self.one_line(err)
        result["head"]["dirty"] = True
        path.write_text(json.dumps(result))
        self.assertEqual(self.scratch.run(clone, "record", str(path))[0], 2)
        self.assertEqual(self.scratch.spool(clone), [])
        self.assertEqual(self.scratch.run(clone, "record", "--force", str(path))[0], 0)

    def test_without_a_remote_records_wait_and_a_push_says_what_is_missing(self):
        clone = self.scratch.clone("a")
        self.scratch.git("remote", "remove", "origin", cwd=clone)
        run = self.scratch.record(clone)
        code, _, err = self.push(clone)
        self.assertEqual(code, 4)
        self.one_line(err)
        self.assertIn(run, self.scratch.run(clone, "baseline", "show")[1])

    def test_a_spool_that_cannot_be_written_loses_nothing_silently(self):
        clone = self.scratch.clone("a")
        path = self.scratch.write_result(clone)
        (clone / ".git/batchgate").write_text("a file in the way\n")
        code, _, err = self.scratch.run(clone, "record", str(path))
        self.assertEqual(code, 4)
        self.one_line(err)


if __name__ == "__main__":
    unittest.main()
