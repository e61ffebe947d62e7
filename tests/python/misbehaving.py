"""A program that speaks the step protocol by itself and does wrong as its first argument says.

It does so where the case has kind=bad, or where there is no case yet.
"""
import json
import os
import signal
import subprocess
import sys
import time

FAULT = sys.argv[1]
AXES = [{"name": "kind", "kind": "word", "default": "good", "words": ["good", "bad"]}]


def say(op, **members):
    os.write(1, (json.dumps({"op": op, "ok": True, **members}) + "\n").encode())


def pin(cpus):
    os.sched_setaffinity(0, cpus)
    say("pin", cpus=cpus)


def leave_children():
    """Two of them, one out of its group, both holding the output open."""
    for detach in (False, True):
        subprocess.Popen(["sleep", "98765"], start_new_session=detach)


def prepare(bad):
    if bad and FAULT == "forks":
        leave_children()
    if bad and FAULT == "dies-before-its-children":
        leave_children()
        os._exit(9)
    if bad and FAULT == "prints":
        print("a library says hello", flush=True)
    say("prepare", state="ready", call_s=.002, items=1)


def work():
    start = time.perf_counter_ns()
    while time.perf_counter_ns() - start < 2e6:
        pass
    return time.perf_counter_ns() - start


def step(bad):
    elapsed = work()
    if not bad:
        say("step", elapsed_ns=[elapsed])
        return
    if FAULT == "closes-stdout":
        os.close(1)
        time.sleep(1000)
    if FAULT == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    if FAULT == "exits":
        print("Traceback: out of cheese", file=sys.stderr)
        os._exit(7)
    if FAULT == "late":
        time.sleep(2)
    if FAULT == "refuses":
        os.write(1, b'{"op":"step","ok":false,"reason":"no more cheese"}\n')
        return
    factor = {"claims-more": 3, "claims-less": .2, "claims-nothing": 0}.get(FAULT, 1)
    if FAULT == "closes-stdin":
        os.close(0)
    if FAULT == "answers-twice":
        os.write(1, b'{"op":"step","ok":true,"elapsed_ns":[%d]}\n' % elapsed * 2)
        return
    say("step", elapsed_ns=[int(elapsed * factor)])
    if FAULT == "closes-stdin":
        time.sleep(1000)


def main():
    bad = False
    if FAULT == "greets":
        os.write(1, b"Welcome to this machine\n\n")
    buffer = b""
    while True:
        if b"\n" not in buffer:
            chunk = os.read(0, 65536)
            if not chunk:
                return
            buffer += chunk
            continue
        line, buffer = buffer.split(b"\n", 1)
        request = json.loads(line)
        op = request["op"]
        if op == "hello":
            if FAULT == "refuses-hello":
                os.write(1, b'{"op":"hello","ok":false,"reason":"speaks protocol 7 only"}\n')
                continue
            say("hello", protocol={"too-new": 2, "too-old": 0}.get(FAULT, 1))
        elif op == "list":
            if FAULT == "lists-rubbish":
                os.write(1, b'{"op":"list","ok":true,"workloads":[{"name":"a/b","axes":[]}]}\n')
                continue
            say("list", workloads=[{"name": "work", "axes": AXES}])
        elif op == "pin":
            pin(request["cpus"])
        elif op == "prepare":
            bad = request["axes"]["kind"] == "bad"
            prepare(bad)
        elif op == "step":
            step(bad)
        else:
            say(op)
            if op == "bye":
                return


main()
