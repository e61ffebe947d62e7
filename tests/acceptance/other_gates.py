"""
Gates whose answer is known, beside exec_gates.py:

* gemm by the worker itself: plain against plain is not failed, a worker slowed by 5 % is caught;
* programs under timeout(1) and setsid(1): sliced with the idle side at rest, or run by step, and said.

    other_gates.py [--gates 3]

Ends with `N passed, N failed, N skipped`. Takes minutes: not part of `make test`.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import scratch

GEMM = """\
suite: gemm
workloads:
  - use: gemm
    engine: openblas
    shape: 512x512x512
"""


def gemm_repository():
    repository = tempfile.mkdtemp(prefix="batchgate-scratch-")
    scratch.git(repository, "init", "-q", "-b", "main")
    scratch.commit(repository, {"batchgate.yml": GEMM, ".gitignore": "batchgate-out/\n"}, "base")
    scratch.commit(repository, {}, "head")
    return repository


def show(name, gate, wrong):
    cell = gate.cell()
    print(f"{name}: {cell['verdict']} {100 * (cell['effect'] or 0):+.1f} % "
          f"({100 * (cell['low'] or 0):+.1f}..{100 * (cell['high'] or 0):+.1f}), "
          f"{cell['launches']} launches, {gate.seconds:.0f} s"
          f"{' FAILED: ' + wrong if wrong else ''}", flush=True)
    return wrong is None


def gemm_gates(count):
    repository = gemm_repository()
    slow = f"{scratch.BATCHGATE} worker --inject 5%"
    for number in range(count):
        seed = ["--seed", str(number + 1)]
        gate = scratch.Gate(repository, "--aa", *seed)
        bad = "REGRESSED" in gate.verdicts().values() or gate.exit != 0
        yield show(f"gemm, plain against plain {number}", gate, f"exit {gate.exit}" if bad else None)
        gate = scratch.Gate(repository, "--aa", "--head-worker", slow, *seed)
        fine = gate.exit == 1 and gate.cell()["verdict"] == "REGRESSED"
        yield show(f"gemm, 5 % injected {number}", gate, None if fine else f"exit {gate.exit}")
    scratch.remove(repository)


def wrapped_gates():
    for wrapper in ("timeout 60 ./work 1", "setsid ./work 1"):
        repository = scratch.exec_repository(40, 40, wrapper)
        gate = scratch.Gate(repository)
        result = json.loads(pathlib.Path(repository, "batchgate-out", "result.json").read_text())
        case = result["cases"][0]
        turns, why = case["turns"], case.get("turns_why")
        voided = sum(p["voided"] for p in case["pairs"])
        kept = sum(len(p["base"]) for p in case["pairs"])
        print(f"  {wrapper}: turns {turns}{' (' + why + ')' if why else ''}, {kept} pairs kept, each "
              f"with the idle side under 1 % of the core or not sliced; {voided} voided; "
              f"{gate.cell()['base']:.3f} s a step")
        said = turns.endswith("ms") or (turns == "step" and why)
        # The whole program must have been measured, not only its wrapper's start.
        whole = gate.cell()["base"] > .01
        wrong = None if gate.exit == 0 and said and whole else f"exit {gate.exit}, turns {turns}"
        yield show(wrapper, gate, wrong)
        scratch.remove(repository)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gates", type=int, default=3)
    options = parser.parse_args()
    outcomes = list(gemm_gates(options.gates)) + list(wrapped_gates())
    print(f"{outcomes.count(True)} passed, {outcomes.count(False)} failed, 0 skipped")
    sys.exit(False in outcomes)


if __name__ == "__main__":
    main()
