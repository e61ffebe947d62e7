"""What tests/lint.py must refuse, and what it must not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parent.parent / "lint.py"


class Lint(unittest.TestCase):
    def lint(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, str(LINT), root], capture_output=True,
                                  text=True, check=False)
            return done.returncode, done.stdout

    def assert_refused(self, name, text, why):
        status, output = self.lint({name: text})
        self.assertEqual(status, 1, output)
        self.assertIn(why, output)

    def assert_fine(self, name, text):
        self.assertEqual(self.lint({name: text})[0], 0)

    def test_an_include_that_points_up_is_refused(self):
        for name, included in [("gate/core/a.c", "gate/wire/json.h"),
                               ("gate/verdict/a.c", "gate/wire/json.h"),
                               ("gate/wire/a.c", "sweeps/suite.h"),
                               ("sweeps/a.c", "gate/cli/options.h"),
                               ("workloads/worker.c", "sweeps/suite.h"),
                               ("workloads/worker.c", "workloads/modules/x.h")]:
            self.assert_refused(name, f'#include "{included}"\n', "may not include")

    def test_siblings_do_not_see_each_other(self):
        self.assert_refused("sweeps/a.c", '#include "baselines/worktree.h"\n', "may not include")
        self.assert_refused("reporters/a.c", '#include "sweeps/suite.h"\n', "may not include")
        self.assert_refused("baselines/a.h", '# include "reporters/reporter.h"\n',
                            "may not include")

    def test_a_module_sees_nothing_but_its_header(self):
        self.assert_fine("workloads/modules/x.c", '#include "workloads/workload.h"\n')
        self.assert_refused("workloads/modules/x.c", '#include "gate/core/error.h"\n',
                            "may not include")
        self.assert_refused("workloads/modules/x.c", '#include "workloads/worker.h"\n',
                            "may not include")

    def test_modules_do_not_see_each_other(self):
        self.assert_fine("workloads/modules/x/a.c", '#include "workloads/modules/x/a.h"\n')
        self.assert_fine("workloads/modules/x/a.c", '#include "workloads/modules/common/a.h"\n')
        self.assert_refused("workloads/modules/x/a.c", '#include "workloads/modules/y/a.h"\n',
                            "may not include")
        self.assert_refused("workloads/modules/common/a.c",
                            '#include "workloads/modules/x/a.h"\n', "may not include")
        self.assert_refused("workloads/modules/common/a.c", '#include "gate/core/text.h"\n',
                            "may not include")

    def test_a_client_sees_its_own_header_alone(self):
        self.assert_fine("workloads/clients/a.c", '#include "batchgate.h"\n')
        self.assert_refused("workloads/clients/a.c", '#include "workloads/workload.h"\n',
                            "may not include")
        self.assert_refused("workloads/worker.c", '#include "batchgate.h"\n', "may not include")

    def test_an_include_that_points_down_is_fine(self):
        self.assert_fine("gate/cli/a.c", '#include "sweeps/suite.h"\n#include <stdio.h>\n')
        self.assert_fine("gate/wire/a.c", '#include "gate/verdict/metric.h"\n')
        self.assert_fine("sweeps/a.c", '#include "sweeps/suite.h"\n#include "gate/core/error.h"\n')

    def test_a_librarys_header_has_its_place(self):
        for name, header in [("gate/cli/a.c", "git2.h"), ("baselines/a.h", "git2.h"),
                             ("reporters/text.c", "libxml/xmlwriter.h"),
                             ("gate/wire/message.c", "jansson.h"), ("gate/cli/a.c", "yaml.h"),
                             ("workloads/worker.c", "cblas.h"),
                             ("workloads/modules/common/gemm.c", "oneapi/dnnl/dnnl.h")]:
            self.assert_refused(name, f"#include <{header}>\n", "belongs in")
        self.assert_fine("gate/wire/json_read.c", "#include <jansson.h>\n")

    def test_one_file_only_reads_yaml(self):
        status, output = self.lint({"sweeps/a.c": "#include <yaml.h>\n",
                                    "sweeps/b.c": "#include <yaml.h>\n"})
        self.assertEqual(status, 1)
        self.assertIn("included by 2 files", output)

    def test_banned_functions_are_found_in_code_only(self):
        for call in ["strcpy(a, b)", "sprintf (a, b)", "rand()", "x = atoi(a)", "system(a)"]:
            self.assert_refused("gate/core/a.c", f"\t{call};\n", "is banned")
        self.assert_fine("gate/core/a.c", '/* strcpy(a) */ char *a = "atoi(b)"; my_rand(x);\n')

    def test_numbers_are_read_in_one_place(self):
        self.assert_refused("sweeps/a.c", "\tstrtod(a, b);\n", "belongs in gate/core/text.c")
        self.assert_fine("gate/core/text.c", "\tstrtod(a, b);\n")

    def test_only_the_command_line_prints(self):
        for call in ["printf(a)", "fprintf(stderr, a)", 'fputs("a", stdout)', "exit(1)"]:
            self.assert_refused("gate/core/a.c", f"\t{call};\n", "only gate/cli does")
            self.assert_fine("gate/cli/a.c", f"\t{call};\n")
        self.assert_fine("gate/core/a.c", "\tsnprintf(a, b, c); _exit(1);\n")

    def test_long_files_and_functions_are_refused(self):
        body = "int f(void)\n{\n" + "\tg();\n" * 61 + "}\n"
        self.assert_refused("gate/core/a.c", body, "function of 61 lines")
        self.assert_fine("gate/core/a.c", body.replace("\tg();\n", "", 1))
        self.assert_refused("gate/core/a.c", "\n" * 501, "501 lines")

    def test_types_are_not_hidden(self):
        self.assert_refused("gate/core/a.h", "typedef struct x y;\n", "hides a type")


if __name__ == "__main__":
    unittest.main()
