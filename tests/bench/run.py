#!/usr/bin/env python3
"""
make bench: what the gate costs and how quiet it is, each figure beside its peer or limit, in one run.

    run.py BUILD [--launches 20] [--only noise,step,decide]

The peers of the noise figures are the prototypes of the engine in TOOLS (default ../shared/tools/turns,
or BATCHGATE_PROTOTYPES): built in a temporary folder, run right after ours. Where they are absent
their column is empty, and says so. Nothing here asserts a time; the last column says whether a goal was met.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROTOTYPES = pathlib.Path(os.environ.get("BATCHGATE_PROTOTYPES", ROOT / "../shared/tools/turns"))
PROTOTYPE_LIMIT = 1.2

EXEC_SUITE = """\
suite: noise
workloads:
  - use: exec
    name: one-thread
    run: {work} 20
  - use: exec
    name: two-threads
    run: [env, OPENBLAS_NUM_THREADS=2, {mt}, 40]
"""
GEMM_SUITE = """\
suite: noise
workloads:
  - use: gemm
    engine: openblas
    shape: 512x512x512
"""


def last_cpu():
    return max(os.sched_getaffinity(0))


def say(name, ours, peer, met):
    verdict = {True: "met", False: "NOT MET", None: ""}[met]
    print(f"{name:<52} {ours:>22} {peer:>26}  {verdict}", flush=True)


def compile_prototypes(folder):
    """Paths of the prototypes' programs, or None with a reason printed."""
    if not (PROTOTYPES / "turns.py").exists():
        print(f"no prototypes in {PROTOTYPES}: their figures are missing")
        return False
    for path in PROTOTYPES.iterdir():
        shutil.copy(path, folder)
    commands = [["cc", "-w", "-O2", "-o", "work", "work.c"],
                ["cc", "-w", "-O2", "-o", "mt", "mt.c", "-lopenblas"]]
    for command in commands:
        if subprocess.run(command, cwd=folder, capture_output=True).returncode:
            print(f"cannot build a prototype: {' '.join(command)}")
            return False
    return True


def noise(build, launches, suite_text, folder):
    suite = pathlib.Path(folder, "noise.yml")
    suite.write_text(suite_text)
    done = subprocess.run([build / "tests/bench/noise", str(launches), str(suite),
                           str(build / "batchgate"), "worker"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    for line in done.stderr.splitlines():
        print("  " + line)
    return [json.loads(line) for line in done.stdout.splitlines()]


def core_type(build):
    """The kernel OpenBLAS should take, as our own worker has found."""
    requests = ('{"op":"prepare","workload":"gemm","engine":"openblas","axes":{"m":"64"},"seed":"1"}\n')
    done = subprocess.run([build / "batchgate", "worker"], input=requests, capture_output=True,
                          text=True)
    match = re.search(r'"kernel":"(\w+)', done.stdout)
    return match.group(1) if match else "Haswell"


def prototype(folder, command, core):
    """sd of the ratio over launches, in percent, as the prototype prints it."""
    environment = dict(os.environ, OPENBLAS_CORETYPE=core)
    for word in list(command):
        if word.startswith("OPENBLAS_NUM_THREADS="):
            environment["OPENBLAS_NUM_THREADS"] = word.split("=")[1]
            command.remove(word)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    match = re.search(r"wall mean\s+\S+ % sd\s+(\S+) %", done.stdout) or \
        re.search(r"sd of log-ratio over launches\s+(\S+) %", done.stdout)
    return float(match.group(1)) if match else None


def show_noise(name, ours, peer):
    ratio = 100 * ours["sd_ratio"]
    text = f"{ratio:.2f} % (level {100 * ours['sd_level']:.1f} %)"
    other = f"prototype {peer:.2f} %" if peer else "no prototype"
    say(f"A/A sd of ln(head/base), {name}, {ours['launches']} launches", text, other,
        ratio <= PROTOTYPE_LIMIT * peer if peer else None)
    print(f"    {ours['pairs']} pairs of {1e3 * ours['step_s']:.1f} ms, turns {ours['turns']}"
          f"{' (' + ours['turns_why'] + ')' if ours['turns_why'] else ''}, cores {ours['cpus']}, "
          f"{ours['voided']} pairs voided, {ours['beyond_5']} launches beyond 5 %, mean {100 * ours['mean']:+.2f} %, {ours['seconds']:.0f} s")


def bench_noise(build, launches):
    cpu = last_cpu()
    with tempfile.TemporaryDirectory() as folder:
        have = compile_prototypes(folder)
        core = core_type(build)
        if have:
            text = EXEC_SUITE.format(work=f"{folder}/work", mt=f"{folder}/mt")
            one, two = noise(build, launches, text, folder)
            turns = [sys.executable, "turns.py"]
            show_noise("exec, one thread", one,
                       prototype(folder, turns + ["./work 20", "./work 20", "20", "4", f"{{{cpu}}}"],
                                 core))
            both = "{" + ",".join(str(c) for c in sorted(os.sched_getaffinity(0))[-2:]) + "}"
            show_noise("exec, two threads", two,
                       prototype(folder, ["OPENBLAS_NUM_THREADS=2"] + turns +
                                 ["./mt 40", "./mt 40", "20", "4", both], core))
        gemm = noise(build, launches, GEMM_SUITE, folder)
        peer = None
        if have:
            peer = gemm_prototype(folder, core, cpu)
        for case in gemm:
            show_noise("gemm 512^3", case, peer)


def gemm_prototype(folder, core, cpu):
    """The prototype's 24 pairs of one 512^3 product each, 20 launches."""
    script = pathlib.Path(folder, "steps.py")
    text = script.read_text()
    text = re.sub(r"pairs=\[.*\]", "pairs=[('g512','g512')]", text, count=1)
    script.write_text(text.replace("'-c','1'", f"'-c','{cpu}'"))
    build = ["cc", "-w", "-O3", "-march=native", "-o", "srv", "srv.c", "-lopenblas", "-lturbojpeg"]
    if subprocess.run(build, cwd=folder, capture_output=True).returncode:
        print("cannot build the gemm prototype (libturbojpeg0-dev is missing?)")
        return None
    return prototype(folder, [sys.executable, "steps.py", "20", "pin"], core)


def bench_step(build):
    done = subprocess.run([build / "tests/bench/step_cost", str(last_cpu()), (build / "modules").resolve(),
                           build / "batchgate", "worker"], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        figure = json.loads(line)
        if figure["bench"] == "round trip":
            say(f"round trip of an empty step, {figure['cores']} core(s)",
                f"{figure['median_us']:.1f} us (p90 {figure['p90_us']:.1f})", "limit 20 us",
                figure["median_us"] < 20 if figure["cores"] == "same" else None)
        else:
            say("gemm step by a worker / plain loop, one core",
                f"{figure['median_ratio']:.4f} ({figure['quartiles'][0]:.3f}..{figure['quartiles'][1]:.3f})",
                "goal 1.00 +- .01", abs(figure["median_ratio"] - 1) <= .01)
    sys.stderr.write(done.stderr)


def bench_decide(build):
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([build / "tests/bench/own_work", "decide", "10000"], check=True,
                       capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    peak = subprocess.run([sys.executable, "-c", "import resource,subprocess,sys;"
                           "subprocess.run(sys.argv[1:],capture_output=True);"
                           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                           str(build / "tests/bench/own_work"), "decide", "10000"],
                          capture_output=True, text=True)
    megabytes = int(peak.stdout) / 1024
    say("deciding 10,000 cells x 24 launches, CPU time", f"{statistics.median(times):.3f} s",
        "limit 0.5 s", statistics.median(times) < .5)
    say("  the same, peak memory", f"{megabytes:.0f} MiB", "limit 100 MB", megabytes < 95)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--launches", type=int, default=20)
    parser.add_argument("--only", default="decide,step,noise")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    for part in options.only.split(","):
        if part == "noise":
            bench_noise(build, options.launches)
        elif part == "step":
            bench_step(build)
        elif part == "decide":
            bench_decide(build)
        else:
            parser.error(f"unknown part {part}")


if __name__ == "__main__":
    main()
