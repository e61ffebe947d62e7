#!/usr/bin/env python3
"""Prints the line coverage of the product's own files, from a build with --coverage.

usage: tests/coverage.py BUILD
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOPS = ("gate", "workloads", "sweeps", "baselines", "reporters")


def main():
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    # The notes are there for every object, also for one that no test has run.
    for path in sorted((ROOT / sys.argv[1]).rglob("*.gcno")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", str(path)], cwd=ROOT,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        for report in done.stdout.splitlines():
            for file in json.loads(report)["files"]:
                if file["file"].split("/")[0] in TOPS:
                    for line in file["lines"]:
                        lines[file["file"]][line["line_number"]] += line["count"]
    hit = total = 0
    for name in sorted(lines):
        covered, count = sum(1 for n in lines[name].values() if n), len(lines[name])
        hit, total = hit + covered, total + count
        print(f"{100 * covered / count if count else 0:6.1f} %  {covered:5d} of {count:5d}  {name}")
    print(f"{100 * hit / total if total else 0:6.1f} %  {hit:5d} of {total:5d}  lines")
    return 0 if total else 1


if __name__ == "__main__":
    sys.exit(main())
