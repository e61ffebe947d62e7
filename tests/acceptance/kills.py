"""
kill -9 of the gate at random moments: within 2 s nothing it started is alive, running or stopped;
the next command removes the work trees; no half file is left.

    kills.py [--kills 100] [--seed 1] [--victim parent|child|both]
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import scratch

SCRIPT = """\
#!/bin/sh
(setsid ./work 1 >/dev/null 2>&1 &)
timeout 60 ./work 1
./work 2
"""


def marked(token):
    """Processes that carry the token in their environment, zombies left out."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if state != "Z" and token.encode() in (entry / "environ").read_bytes():
                found.append((int(entry.name), state))
        except OSError:
            pass
    return found


def half_files(repository):
    bad = []
    for path in pathlib.Path(repository, "batchgate-out").glob("*"):
        if path.suffix == ".json":
            try:
                json.loads(path.read_text())
            except ValueError:
                bad.append(str(path))
        elif path.suffix not in (".log", ".xml"):
            bad.append(str(path))
    return bad


def one_kill(repository, cache, wait, victim):
    token = f"BATCHGATE_TEST={random.getrandbits(64):016x}"
    name, value = token.split("=")
    environment = dict(os.environ, XDG_CACHE_HOME=cache, **{name: value})
    process = subprocess.Popen([str(scratch.BATCHGATE), "gate", "--quiet"], cwd=repository,
                               env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(wait)
    if victim == "child":
        try:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        except OSError:
            children = ""
        target = int(children.split()[0]) if children.split() else process.pid
    else:
        target = process.pid
    try:
        os.kill(target, signal.SIGKILL)
    except ProcessLookupError:
        pass
    deadline = time.monotonic() + 2
    alive = marked(token)
    while alive and time.monotonic() < deadline:
        time.sleep(.02)
        alive = marked(token)
    for pid, _ in alive:
        os.kill(pid, signal.SIGKILL)
    process.wait()
    return [f"alive after 2 s: {alive}"] * bool(alive) + half_files(repository)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=6)
    options = parser.parse_args()
    random.seed(options.seed)
    repository = scratch.exec_repository(10, 10, "./run.sh")
    script = pathlib.Path(repository, "run.sh")
    scratch.commit(repository, {"run.sh": SCRIPT}, "script")
    script.chmod(0o755)
    scratch.commit(repository, {}, "mode")
    scratch.commit(repository, {"note": "head"}, "head")
    failed = 0
    with tempfile.TemporaryDirectory() as cache:
        for number in range(options.kills):
            wait = random.uniform(0, options.longest)
            victim = ("parent", "child")[number % 2]
            wrong = one_kill(repository, cache, wait, victim)
            failed += bool(wrong)
            if wrong:
                print(f"kill {number} of {victim} after {wait:.2f} s: {wrong}", flush=True)
        subprocess.run([str(scratch.BATCHGATE), "gate", "--dry-run", "--quiet"], cwd=repository,
                       env=dict(os.environ, XDG_CACHE_HOME=cache), stdout=subprocess.DEVNULL,
                       check=True)
        left = [str(p) for p in pathlib.Path(cache).rglob("base")]
        registered = scratch.git(repository, "worktree", "list", "--porcelain").count("worktree ")
        if left or registered != 1:
            print(f"left behind: {left}, {registered} work trees registered")
            failed += 1
    scratch.remove(repository)
    print(f"{options.kills + 1 - failed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
