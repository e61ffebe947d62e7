#!/usr/bin/env python3
"""What each module's threads use of the processor between steps, when the other arm has the cores.

usage: tests/bench/idle.py [BUILD]

Prints, for each case, the CPU time that a worker used in 50 ms after a step: median and largest of
30. A pool that spins uses milliseconds: try OMP_WAIT_POLICY=active.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

CASES = [("gemm", "openblas", {"threads": "2"}),
         ("gemm", "blis", {"threads": "2"}),
         ("gemm", "onednn", {"threads": "2"}),
         ("gemm", "onednn", {"threads": "2", "dtype": "s8"}),
         ("triad", "c", {"threads": "2", "n": "1000000"}),
         ("gemm", "onednn", {"threads": "1"})]
STEPS, PAUSE_S = 30, .05


def cpu_ns(pid):
    """CPU time of all threads, by the scheduler's own account."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def measure(program, workload, engine, axes):
    with subprocess.Popen([program, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as worker:
        def ask(**request):
            worker.stdin.write(json.dumps(request) + "\n")
            worker.stdin.flush()
            return json.loads(worker.stdout.readline())

        ask(op="hello", protocol=[1, 1])
        reply = ask(op="prepare", workload=workload, engine=engine, axes=axes, seed="1")
        if reply.get("state", "ready") != "ready":
            return reply.get("reason")
        used = []
        for _ in range(STEPS):
            reply = ask(op="step", n=1, inner=1)
            if not reply["ok"]:
                return reply["reason"]
            before = cpu_ns(worker.pid)
            time.sleep(PAUSE_S)
            used.append((cpu_ns(worker.pid) - before) / 1e3)
        threads = len(list(pathlib.Path(f"/proc/{worker.pid}/task").iterdir()))
        worker.stdin.close()
        return f"median {statistics.median(used):.0f}, largest {max(used):.0f} us; " \
            f"threads alive: {threads}"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    for workload, engine, axes in CASES:
        words = ",".join(f"{name}={value}" for name, value in axes.items())
        print(f"{workload}/engine={engine},{words}: "
              f"{measure(build / 'batchgate', workload, engine, axes)}", flush=True)


if __name__ == "__main__":
    main()
