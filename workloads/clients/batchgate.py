"""batchgate's step protocol for benchmarks in Python 3.8 and later. Copy this one file beside them.

    import batchgate

    @batchgate.workload(batch=(8, 1, 4096), dtype=["f32", "f64"])
    def attention(batch, dtype):         # prepares one case; not timed
        inputs = make_inputs(batch, dtype, seed=batchgate.seed)
        return lambda: attend(inputs)    # what is timed; or (it, {"items": batch})

    batchgate.run()

docs/clients.md explains all of it.
"""
import gc, json, os, sys, time, traceback


class Unsupported(Exception):
    """Raise it while preparing: this machine or these values cannot do it."""


seed = 0  # of the case being prepared; what is random must come from it
_workloads, _states = {}, [(Unsupported, "unsupported"), (MemoryError, "out_of_memory")]


def workload(**axes):
    """An axis is (default, least, most), a list of words with the default first, or a text."""
    return lambda prepare: _workloads.setdefault(prepare.__name__, (prepare, axes))[0]


def _axis(name, spec):
    if not isinstance(spec, tuple):
        words = spec if isinstance(spec, list) else []
        return {"name": name, "kind": "word", "default": (words or [spec])[0], "words": words}
    kind = "integer" if all(isinstance(x, int) for x in spec) else "number"
    return {"name": name, "kind": kind, "default": repr(spec[0]), "min": spec[1], "max": spec[2]}


class _Worker:
    step_once = None

    def hello(self, request):
        if not request["protocol"][0] <= 1 <= request["protocol"][1]:
            raise ValueError("batchgate.py speaks step protocol 1 only")
        return {"protocol": 1, "program": os.path.basename(sys.argv[0])}

    def list(self, _):
        return {"workloads": [{"name": name, "axes": [_axis(*axis) for axis in axes.items()]}
                              for name, (_, axes) in _workloads.items()]}

    def pin(self, request):
        for task in os.listdir("/proc/self/task"):  # threads of libraries too
            os.sched_setaffinity(int(task), request["cpus"])
        return {"cpus": sorted(os.sched_getaffinity(0))}

    def prepare(self, request):
        global seed
        self.step_once, seed = None, int(request["seed"])
        gc.collect()
        try:
            prepare, axes = _workloads.get(request["workload"], (None, {}))
            if prepare is None or request["axes"].keys() - axes.keys():
                raise Unsupported("no such workload or axis")
            values = {name: type(axes[name][0])(text) if isinstance(axes[name], tuple) else text
                      for name, text in request["axes"].items()}
            made = prepare(**values)
            self.step_once, facts = made if isinstance(made, tuple) else (made, {})
            self.step_once()
            calls, seconds = 1, 0.0
            while seconds < .005:  # doubled until it lasts 5 ms
                calls, seconds = calls * 2, self.timed(calls) * 1e-9
            facts = {"items": 1, **facts, "call_s": seconds * 2 / calls}
        except Exception as fault:
            traceback.print_exc()
            state = next((word for kind, word in _states if isinstance(fault, kind)), "failed")
            return {"state": state, "reason": " ".join(f"{type(fault).__name__}: {fault}".split())}
        if facts.get("error", 0) > facts.get("tolerance", float("inf")):
            return {"state": "incorrect", "reason": "the error is {error:.3g}, allowed is "
                    "{tolerance:.3g}".format(**facts), **facts}
        return {"state": "ready", **facts}

    def timed(self, calls):
        step, clock, collects = self.step_once, time.perf_counter_ns, gc.isenabled()
        gc.disable()
        start = clock()
        for _ in range(calls):
            step()
        elapsed = clock() - start
        if collects:
            gc.enable()
        return elapsed

    def step(self, request):
        return {"elapsed_ns": [self.timed(request["inner"]) for _ in range(request["n"])]}

    def finish(self, _):
        self.step_once = None
        return {"metrics": {}}

    def bye(self, _):
        return {}


def run():
    """Serves the gate on standard input and output until the gate goes."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", 0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what reads input, or prints, meets no protocol
    os.dup2(2, 1)
    worker = _Worker()
    for line in requests:
        op = "hello"
        try:
            request = json.loads(line)
            op = request["op"]
            reply = {"op": op, "ok": True, **getattr(worker, op)(request)}
        except Exception as fault:
            traceback.print_exc()
            reply = {"op": op, "ok": False, "reason": f"{type(fault).__name__}: {fault}"}
        replies.write(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
        if op == "bye":
            break
