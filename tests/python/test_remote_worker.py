"""Workers that are not known to run on this host: what the gate must not do, and must not claim."""
import json
import socketserver
import subprocess
import sys
import threading
import unittest

from scratch_repository import BATCHGATE, ScratchRepository

SUITE = """suite: s
workloads:
  - use: gemm
    shape: 512x512x512
"""
# A login shell's greeting, then the worker, its boot id passed through a filter.
RELAY = "echo 'Last login: today'; echo; '{program}' worker | sed -u '{filter}'"
CLIENT = """import os, socket, sys, threading
end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])
def answers():
    while chunk := end.recv(65536):
        os.write(1, chunk)
    os._exit(0)
threading.Thread(target=answers, daemon=True).start()
while line := os.read(0, 65536):
    end.sendall(line)
end.shutdown(socket.SHUT_WR)
threading.Event().wait()
"""
ELSEWHERE = "not known to run on this host"


class RemoteWorker(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.write("batchgate.yml", SUITE)
        self.commit()
        self.commit()

    def worker(self, change):
        """A command that relays to a worker of ours and applies a sed script to its replies."""
        script = self.root / f"relay{len(list(self.root.iterdir()))}"
        script.write_text("#!/bin/sh\n" + RELAY.format(program=BATCHGATE, filter=change),
                          encoding="utf-8")
        script.chmod(0o755)
        return str(script)

    def measure(self, *words):
        _, report, said = self.gate("--launches-max", "1", *words)
        result = json.loads((self.repository / "batchgate-out" / "result.json")
                            .read_text(encoding="utf-8"))
        if report["cells"][0]["verdict"] == "SKIPPED":
            self.skipTest("the openblas module is not available here")
        self.assertEqual(said, "")
        self.assertGreater(len(result["cases"][0]["pairs"]), 0, report["cells"][0])
        return report, result["cases"][0]

    def assert_elsewhere(self, report, case, arm):
        self.assertTrue(any(f"worker of {arm} is {ELSEWHERE}" in line
                            for line in report["conditions"]), report["conditions"])
        self.assertEqual((case["turns"], case["cpus"], case["cpus_why"]), ("step", None, None))
        self.assertIn(ELSEWHERE, case["turns_why"])
        self.assertNotIn("runs on other cores", str(report["conditions"]))

    def test_a_worker_without_a_boot_id_may_be_anywhere(self):
        relay = self.worker("s/boot_id/boat_id/")
        report, case = self.measure("--base-worker", relay, "--head-worker", relay)
        self.assert_elsewhere(report, case, "base")
        self.assert_elsewhere(report, case, "head")

    def test_another_boot_id_is_another_host(self):
        relay = self.worker('s/"boot_id": *"./"boot_id":"x/')
        report, case = self.measure("--head-worker", relay)
        self.assert_elsewhere(report, case, "head")
        self.assertNotIn("worker of base", str(report["conditions"]))

    def test_a_worker_that_refuses_our_cores_is_measured(self):
        relay = self.worker('s/boot_id/boat_id/; s/.*"op":"pin".*/'
                            '{"op":"pin","ok":false,"reason":"no such CPU"}/')
        report, case = self.measure("--base-worker", relay, "--head-worker", relay)
        self.assert_elsewhere(report, case, "base")

    def test_a_greeting_alone_makes_no_worker_remote(self):
        relay = self.worker("s/x/x/")
        report, case = self.measure("--base-worker", relay, "--head-worker", relay)
        self.assertNotIn(ELSEWHERE, str(report["conditions"]))
        self.assertIsNotNone(case["cpus"])
        log = (self.repository / "batchgate-out" / "worker-head.log").read_text(encoding="utf-8")
        self.assertIn("Last login: today\n\n", log)

    def test_a_worker_in_anothers_processes_is_not_ours_to_stop(self):
        """As in a container: this host's boot id, but a client in place of the worker."""
        path = str(self.root / "socket")
        served = []

        class Serve(socketserver.BaseRequestHandler):
            def handle(self):
                served.append(subprocess.run([BATCHGATE, "worker"], stdin=self.request,
                                             stdout=self.request, check=False))

        server = socketserver.ThreadingUnixStreamServer(path, Serve)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = self.root / "client.py"
        client.write_text(CLIENT, encoding="utf-8")
        command = f"{sys.executable} {client} {path}"
        report, case = self.measure("--base-worker", command, "--head-worker", command)
        self.assertGreater(len(served), 2)
        self.assertEqual((case["turns"], case["cpus"], case["cpus_why"]), ("step", None, None))
        self.assertIn("(a container?)", str(report["conditions"]))

    def test_a_remote_clock_is_not_trusted_either(self):
        for change, what in [(r's/"elapsed_ns":\[/&9/', "longer than the wait"),
                             (r's/"elapsed_ns":\[[0-9]*/"elapsed_ns":[5/', "shorter than half")]:
            relay = self.worker("s/boot_id/boat_id/; " + change)
            _, report, _ = self.gate("--base-worker", relay, "--head-worker", relay)
            cell = report["cells"][0]
            if cell["verdict"] == "SKIPPED":
                self.skipTest("the openblas module is not available here")
            self.assertEqual(cell["verdict"], "MISTRUSTED")
            self.assertIn(what, cell["reason"])


if __name__ == "__main__":
    unittest.main()
