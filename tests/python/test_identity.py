"""Workers that the arms build themselves: the same bytes cannot be judged slower or faster."""
import pathlib
import unittest

from scratch_repository import BATCHGATE, ScratchRepository

BUILD = pathlib.Path(BATCHGATE).resolve().parent
SUITE = """suite: smoke
workloads:
  - use: gemm
    m: 64
arms:
  build: [sh, -c, 'mkdir bin && cp "$WORKER" bin/worker && cp -r "$MODULES" bin/modules && sh change']
  worker: [bin/worker, worker]
"""


class Identity(ScratchRepository):
    def setUp(self):
        super().setUp()
        if not (BUILD / "modules/openblas.so").exists():
            self.skipTest("the openblas module is not built")
        self.environment.update(WORKER=str(BUILD / "batchgate"), MODULES=str(BUILD / "modules"))
        self.write("batchgate.yml", SUITE)
        self.write("change", "true\n")
        self.commit("first")

    def cell(self, *words):
        _, report, said = self.gate("--launches-max", "1", "--no-cache", *words)
        self.assertTrue(report, said)
        return report["cells"][0]

    def test_the_same_worker_in_both_trees_is_identical(self):
        self.write("other", "a file that no worker reads\n")
        self.commit("second")
        cell = self.cell()
        self.assertEqual(cell["verdict"], "UNCHANGED_BY_IDENTITY", cell["reason"])
        self.assertIn("byte for byte", cell["reason"])

    def test_what_only_debuggers_read_does_not_count(self):
        self.write("change", "strip --strip-debug bin/worker\n")
        self.commit("stripped")
        self.assertEqual(self.cell()["verdict"], "UNCHANGED_BY_IDENTITY")

    def test_another_text_in_the_program_is_measured(self):
        self.write("change", "sed -i 's/no case is prepared/no case is PREPARED/' bin/worker\n")
        self.commit("another word")
        self.assertNotEqual(self.cell()["verdict"], "UNCHANGED_BY_IDENTITY")

    def test_another_module_is_measured(self):
        self.write("change", "sed -i 's/matrix product/matrix PRODUCT/' bin/modules/openblas.so\n")
        self.commit("another module")
        self.assertNotEqual(self.cell()["verdict"], "UNCHANGED_BY_IDENTITY")

    def test_a_script_between_is_no_obstacle_but_its_variables_count(self):
        self.write("batchgate.yml", SUITE.replace("[bin/worker, worker]", "[./start]"))
        start = self.write("start", "#!/bin/sh\nexec bin/worker worker\n")
        start.chmod(0o755)
        self.commit("through a script")
        self.write("other", "x\n")
        self.commit("second")
        self.assertEqual(self.cell()["verdict"], "UNCHANGED_BY_IDENTITY")
        start.write_text("#!/bin/sh\nTUNED=1 exec bin/worker worker\n")
        self.commit("tuned")
        self.assertNotEqual(self.cell()["verdict"], "UNCHANGED_BY_IDENTITY")

    def test_a_measurement_on_purpose_is_made(self):
        self.assertNotEqual(self.cell("--aa")["verdict"], "UNCHANGED_BY_IDENTITY")


if __name__ == "__main__":
    unittest.main()
