# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/summarise_tests.py run on results as ctest writes them."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/lib/summarise_tests.py"

PASSED = '<testcase name="Rank.Passes" status="run"><system-out>[  PASSED  ] 1 test.</system-out></testcase>'
FAILED = '<testcase name="Rank.Fails" status="fail"><failure message=""/><system-out>[  FAILED  ]</system-out></testcase>'
NOT_RUN = '<testcase name="Rank.IsMissing" status="notrun"><skipped message="Unable to find executable"/></testcase>'
DISABLED = '<testcase name="Rank.IsDisabled" status="disabled"><system-out>Disabled</system-out></testcase>'
SKIPPED = """<testcase name="Psi.IsRead" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] Psi.IsRead
a_test.cpp:19: Skipped
no PSI per cgroup
on this kernel
[  SKIPPED ] Psi.IsRead (0 ms)
</system-out></testcase>"""
SKIPPED_AND_FAILED = SKIPPED.replace("[  SKIPPED ]", "[  FAILED  ] in a child\n[  SKIPPED ]", 1)


class SummaryTest(unittest.TestCase):
    def summarise(self, *cases, allowed="", ctest_status=0, more=()):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "results.xml")
            results.write_text(f'<testsuite name="x">{"".join(cases)}</testsuite>', encoding="utf-8")
            skips = Path(folder, "allowed_skips")
            skips.write_text(allowed, encoding="utf-8")
            command = [sys.executable, "-B", str(SCRIPT), "--results", str(results), "--allowed-skips", str(skips)]
            command += ["--preset", "dev", "--kernel", "6.18.1-x", "--ctest-status", str(ctest_status), *more]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def last_line(self, run):
        return run.stdout.splitlines()[-1]

    def test_a_run_in_which_all_passed_is_good(self):
        run = self.summarise(PASSED)
        self.assertEqual((run.returncode, self.last_line(run)), (0, "1 passed, 0 failed, 0 skipped"))

    def test_a_failure_is_named_and_fails_the_run(self):
        run = self.summarise(PASSED, FAILED, ctest_status=8)
        self.assertEqual((run.returncode, self.last_line(run)), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("FAILED   Rank.Fails", run.stdout)

    def test_a_failure_is_shown_with_what_its_first_failed_check_said(self):
        said = "before\na_test.cpp:7: Failure\nExpected: 1\n  Actual: 2\n[  FAILED  ] Rank.Fails"
        run = self.summarise(FAILED.replace("[  FAILED  ]", said), ctest_status=8)
        self.assertIn("a_test.cpp:7: Failure\n             Expected: 1", run.stdout)
        self.assertNotIn("before", run.stdout)

    def test_a_skip_that_nobody_allowed_fails_the_run_and_its_reason_is_shown(self):
        run = self.summarise(PASSED, SKIPPED)
        self.assertEqual((run.returncode, self.last_line(run)), (1, "1 passed, 0 failed, 1 skipped"))
        self.assertIn("SKIPPED, NOT ALLOWED   Psi.IsRead: no PSI per cgroup on this kernel", run.stdout)

    def test_an_allowed_skip_is_shown_and_does_not_fail_the_run(self):
        run = self.summarise(SKIPPED, allowed="# comment\nPsi.*  6.18*  v1 has no PSI per cgroup\n")
        self.assertEqual((run.returncode, self.last_line(run)), (0, "0 passed, 0 failed, 1 skipped"))
        self.assertIn("SKIPPED (allowed: v1 has no PSI per cgroup)   Psi.IsRead", run.stdout)

    def test_permission_for_another_kernel_does_not_count(self):
        self.assertEqual(self.summarise(SKIPPED, allowed="Psi.IsRead 6.1.* reason\n").returncode, 1)

    def test_a_test_that_did_not_run_at_all_has_failed(self):
        run = self.summarise(NOT_RUN, ctest_status=8)
        self.assertEqual((run.returncode, self.last_line(run)), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_disabled_test_counts_as_a_skip(self):
        run = self.summarise(DISABLED)
        self.assertEqual((run.returncode, self.last_line(run)), (1, "0 passed, 0 failed, 1 skipped"))

    def test_a_failed_check_beside_a_skip_is_a_failure(self):
        self.assertEqual(self.last_line(self.summarise(SKIPPED_AND_FAILED)), "0 passed, 1 failed, 0 skipped")

    def test_a_status_of_ctest_that_no_test_explains_fails_the_run(self):
        self.assertEqual(self.summarise(PASSED, ctest_status=8).returncode, 1)

    def test_a_row_for_a_test_that_the_machine_has_not_fails_a_whole_run(self):
        in_machine = PASSED.replace("Rank.Passes", "vm.Rank.Passes")
        allowed = "vm.Psi.* * not there\nPsi.* * no PSI\n"
        run = self.summarise(in_machine, allowed=allowed, more=["--whole"])
        self.assertEqual((run.returncode, self.last_line(run)), (1, "1 passed, 0 failed, 0 skipped"))
        self.assertIn("vm.Psi.* of tests/allowed_skips is no test of this build", run.stdout)
        self.assertNotIn(" Psi.* of", run.stdout)
        self.assertEqual(self.summarise(in_machine, allowed=allowed).returncode, 0)
        self.assertEqual(self.summarise(PASSED, allowed=allowed, more=["--whole"]).returncode, 0, "no such tests built")
        covered = SKIPPED.replace("Psi.IsRead", "vm.Psi.IsRead")
        self.assertEqual(self.summarise(covered, allowed=allowed, more=["--whole"]).returncode, 0)

    def test_a_row_without_a_reason_is_refused(self):
        run = self.summarise(PASSED, allowed="Psi.IsRead 6.18*\n")
        self.assertEqual(run.returncode, 2)
        self.assertIn("allowed_skips:1: needs three columns", run.stderr)


if __name__ == "__main__":
    unittest.main()
