# SPDX-License-Identifier: Apache-2.0
"""The test programs that scripts/vm runs whole: which they are, and what counts as passed."""
import contextlib
import io
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib"))
import vm_tests  # noqa: E402

TREE = "/tree/build/arm64"
EMULATED = ["/usr/bin/qemu-aarch64", "-L", "/tree/build/sysroot/arm64"]
OUTPUT = """[ RUN      ] A.Passes
[       OK ] A.Passes (0 ms)
[ RUN      ] A.Fails
a.cpp:7: Failure
Value of: it
[  FAILED  ] A.Fails, where GetParam() = 1 (0 ms)
[ RUN      ] A.Skips
a.cpp:9: Skipped
no such files

[  SKIPPED ] A.Skips (0 ms)
[ RUN      ] A.Dies
"""


def test_of(name, *command):
    return {"name": name, "command": list(command)}


class Programs(unittest.TestCase):
    def test_each_is_named_once_with_its_cases_and_without_the_emulator(self):
        programs, others = vm_tests.programs_of(
            [test_of("A.One", *EMULATED, f"{TREE}/tests/a", "--gtest_filter=A.One"),
             test_of("A.Two", *EMULATED, f"{TREE}/tests/a", "--gtest_filter=A.Two"),
             test_of("vectors", *EMULATED, f"{TREE}/bin/v", "a b.json")], TREE)
        self.assertEqual([(each.line, each.cases) for each in programs],
                         [(f"{TREE}/tests/a", ["A.One", "A.Two"]), (f"{TREE}/bin/v 'a b.json'", [])])
        self.assertEqual(others, [])

    def test_what_is_no_program_of_the_build_is_named(self):
        programs, others = vm_tests.programs_of(
            [test_of("script", "/usr/bin/python3", f"{TREE}/x.py"), test_of("none")], TREE)
        self.assertEqual((programs, others), ([], ["script", "none"]))


class Judgement(unittest.TestCase):
    def judge(self, cases, output, status=0):
        """Exit status and summary."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            result = vm_tests.run_programs("arm64", [vm_tests.Program("a", "a", "a", cases)],
                                           lambda line, _: (0, "6.1\n") if line == "uname -r" else (status, output))
        return result, said.getvalue()

    def test_a_passed_case_passes(self):
        self.assertEqual(self.judge(["A.Passes"], OUTPUT)[0], 0)

    def test_a_failure_and_a_skip_without_permission_fail_with_their_reason(self):
        result, said = self.judge(["A.Passes", "A.Fails", "A.Skips"], OUTPUT, 1)
        self.assertEqual(result, 1)
        self.assertIn("1 passed, 1 failed, 1 skipped", said)
        self.assertIn("Value of: it", said)
        self.assertIn("NOT ALLOWED   A.Skips: no such files", said)
        self.assertEqual(self.judge(["A.Skips"], OUTPUT)[0], 1)

    def test_a_case_that_did_not_end_or_begin_fails(self):
        for case in ("A.Dies", "A.Pass", "A.Missing"):
            result, said = self.judge([case], OUTPUT)
            self.assertEqual(result, 1, case)
            self.assertIn("did not end", said)

    def test_the_status_of_the_program_counts(self):
        result, said = self.judge(["A.Passes"], OUTPUT, 66)
        self.assertEqual(result, 1)
        self.assertIn("exit status 66", said)
        self.assertEqual(self.judge([], "", 0)[0], 0)
        self.assertEqual(self.judge([], "wrong\n", 3)[0], 1)


if __name__ == "__main__":
    unittest.main()
