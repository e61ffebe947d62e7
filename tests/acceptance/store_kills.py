"""
`kill -9` of record and of baseline push at random moments: nothing lost, nothing doubled.

    store_kills.py [--kills 100] [--seed 1]

Each round records and pushes in one of two clones of one repository and kills one of the two
commands after a random time, until so many were killed before they ended. What a record said it
kept must be at the remote in the end, once; what was killed before it said so may be there, once.
Not part of `make test`: takes a minute.
"""
import argparse
import collections
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from store_scratch import Scratch  # noqa: E402


def run_and_kill(scratch, clone, words, after_s):
    """Kills the command after a time, unless it has ended; returns what it printed, if it did."""
    process = scratch.start(clone, *words)
    if after_s is not None:
        time.sleep(after_s)
        process.kill()
    out, _ = process.communicate(timeout=300)
    return out if process.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    scratch = Scratch()
    clones = [scratch.clone("a"), scratch.clone("b")]
    results = [str(scratch.write_result(clone)) for clone in clones]
    said, killed = [], 0
    while killed < options.kills:
        which = draw.randrange(2)
        of_record = draw.random() < .4
        after_s = draw.uniform(0, .02 if of_record else .1)
        out = run_and_kill(scratch, clones[which], ["record", results[which]],
                           after_s if of_record else None)
        if out:
            said.append(out.split()[1])
        killed += out is None
        pushed = run_and_kill(scratch, clones[which], ["baseline", "push"],
                              None if of_record else after_s)
        killed += pushed is None
    print(f"{killed} commands killed, {len(said)} records said to be kept")
    failed = 0
    for clone in clones:
        code, _, err = scratch.run(clone, "baseline", "push")
        if code != 0 or scratch.spool(clone):
            print(f"the last push ended with {code}: {err}")
            failed += 1
    there = collections.Counter(scratch.runs())
    lost = [run for run in said if run not in there]
    doubled = [run for run, count in there.items() if count > 1]
    failed += len(lost) + len(doubled)
    left = [p.name for clone in clones for p in (clone / ".git/batchgate/spool").iterdir()
            if not p.name.endswith(".json") and time.time() - p.stat().st_mtime > 3600]
    print(f"{len(there)} at the remote, {len(lost)} lost, {len(doubled)} doubled, {len(left)} old "
          f"temporaries")
    scratch.remove()
    print(f"{killed if not failed else 0} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
