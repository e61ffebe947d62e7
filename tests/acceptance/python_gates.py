"""
Gates over a Python benchmark that speaks the step protocol: unchanged, and 5 % more work.

    python_gates.py [--gates 5] [--only same,more] [--venv]

With --venv the benchmark runs under a virtual environment that git ignores and arms.link shares.
Prints a line a gate and ends with `N passed, N failed, N skipped`. Takes minutes: not part of
`make test`.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import scratch

CLIENT = pathlib.Path(__file__).resolve().parents[2] / "workloads" / "clients" / "batchgate.py"
BENCH = '''\
import batchgate


@batchgate.workload(size=(200, 1, 100000))
def words(size):
    """Counts words and sorts them: dictionaries, strings, lists, a closure a word."""
    text = ["word%d" % (i * 7919 % 97) for i in range(size * REPS // 100)]

    def step():
        counts = {}
        for word in text:
            counts[word] = counts.get(word, 0) + 1
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    return step


batchgate.run()
'''
SUITE = """\
suite: scratch
workloads:
  - use: program
    name: words
    run: {python} bench.py
    size: [20000]
{arms}"""


def repository_of(head_reps, venv):
    repository = tempfile.mkdtemp(prefix="batchgate-scratch-")
    scratch.git(repository, "init", "-q", "-b", "main")
    python = sys.executable
    if venv:
        subprocess.run([sys.executable, "-m", "venv", pathlib.Path(repository, ".venv")], check=True)
        python = ".venv/bin/python"
    suite = SUITE.format(python=python, arms="arms:\n  link: [.venv]\n" if venv else "")
    files = {"batchgate.yml": suite, "batchgate.py": CLIENT.read_text(),
             ".gitignore": "batchgate-out/\n.venv/\n__pycache__/\n"}
    scratch.commit(repository, {**files, "bench.py": BENCH.replace("REPS", "100")}, "base")
    scratch.commit(repository, {"bench.py": BENCH.replace("REPS", str(head_reps)),
                                "note": "another commit\n"}, "head")
    return repository


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gates", type=int, default=5)
    parser.add_argument("--only", default="same,more")
    parser.add_argument("--venv", action="store_true")
    options = parser.parse_args()
    passed = failed = 0
    for kind in options.only.split(","):
        repository = repository_of({"same": 100, "more": 105}[kind], options.venv)
        for number in range(options.gates):
            gate = scratch.Gate(repository, "--seed", str(number + 1))
            if gate.report is None:
                print(gate.stderr)
                sys.exit(1)
            cell = gate.cell()
            good = (gate.exit, cell["verdict"]) == ((0, "NOT_WORSE") if kind == "same"
                                                    else (1, "REGRESSED"))
            print(f"{kind} {number}: {cell['verdict']} {100 * (cell['effect'] or 0):+.1f} % "
                  f"({100 * (cell['low'] or 0):+.1f}..{100 * (cell['high'] or 0):+.1f}), "
                  f"{cell['launches']} launches, {gate.seconds:.0f} s{'' if good else ' FAILED'}",
                  flush=True)
            passed += good
            failed += not good
        scratch.remove(repository)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
