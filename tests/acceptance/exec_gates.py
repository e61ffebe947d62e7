"""
Gates over a real program under `exec`: unchanged, 6 % more work, 6 % less, on one thread and two.

    exec_gates.py [--gates 10] [--threads 1,2] [--only same,more,less] [--reps 50] [--gate-options "--cpus 0"]

Prints a line a gate and ends with `N passed, N failed, N skipped`. Takes minutes: not part of
`make test`.
"""
import argparse
import sys

import scratch


def expect(kind, gate):
    """None where the gate did what it should, else what is wrong."""
    verdict = gate.cell()["verdict"]
    if gate.seconds > 300:
        return f"took {gate.seconds:.0f} s"
    if kind == "same":
        bad = [v for v in gate.verdicts().values() if v == "REGRESSED"]
        return None if gate.exit == 0 and not bad else f"exit {gate.exit}, {bad}"
    if kind == "more":
        named = "work time" in gate.junit and "limit" in gate.junit and ".." in gate.junit
        fine = gate.exit == 1 and verdict == "REGRESSED" and named
        return None if fine else f"exit {gate.exit}, {verdict}"
    return None if gate.exit == 0 and verdict == "IMPROVED" else f"exit {gate.exit}, {verdict}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gates", type=int, default=10)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--only", default="same,more,less")
    parser.add_argument("--reps", type=int, default=50)
    parser.add_argument("--gate-options", default="", help="passed on to each gate")
    options = parser.parse_args()
    passed = failed = 0
    for threads in options.threads.split(","):
        for kind in options.only.split(","):
            base = options.reps * int(threads)
            head = {"same": base, "more": round(base * 1.06), "less": round(base * .94)}[kind]
            repository = scratch.exec_repository(base, head, f"./work {threads}")
            for number in range(options.gates):
                gate = scratch.Gate(repository, "--seed", str(number + 1), *options.gate_options.split())
                if gate.report is None:
                    print(gate.stderr)
                    sys.exit(1)
                wrong = expect(kind, gate)
                cell = gate.cell()
                print(f"{threads} thread(s), {kind} {number}: {cell['verdict']} "
                      f"{100 * (cell['effect'] or 0):+.1f} % "
                      f"({100 * (cell['low'] or 0):+.1f}..{100 * (cell['high'] or 0):+.1f}), "
                      f"{cell['launches']} launches, {gate.seconds:.0f} s"
                      f"{' FAILED: ' + wrong if wrong else ''}", flush=True)
                passed += wrong is None
                failed += wrong is not None
            scratch.remove(repository)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
