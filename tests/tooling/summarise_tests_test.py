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
        return self.summarise_rounds((cases, ctest_status), allowed=allowed, more=more)

    def summarise_rounds(self, *rounds, allowed="", more=()):
        """Each round is its cases and ctest's exit status."""
        with tempfile.TemporaryDirectory() as folder:
            results = [Path(folder, f"results-{number}.xml") for number in range(len(rounds))]
            for path, (cases, _) in zip(results, rounds):
                path.write_text(f'<testsuite name="x">{"".join(cases)}</testsuite>', encoding="utf-8")
            skips = Path(folder, "allowed_skips")
            skips.write_text(allowed, encoding="utf-8")
            command = [sys.executable, "-B", str(SCRIPT), "--results", *map(str, results), "--allowed-skips", str(skips)]
            command += ["--preset", "dev", "--kernel", "6.18.1-x"]
            command += ["--ctest-status", *(str(status) for _, status in rounds), *more]
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

    def test_of_several_rounds_a_test_that_failed_in_one_has_failed_and_the_round_is_named(self):
        fails_now = PASSED.replace("[  PASSED  ]", "[  FAILED  ]")
        run = self.summarise_rounds(((PASSED,), 0), ((fails_now,), 8), ((PASSED,), 0))
        self.assertEqual((run.returncode, self.last_line(run)), (1, "0 passed, 1 failed, 0 skipped"))
        self.assertIn("FAILED in 1 of 3 rounds (2)   Rank.Passes: a check failed", run.stdout)
        self.assertIn("round 1 of 3: 1 passed, 0 failed, 0 skipped\n", run.stdout)
        self.assertIn("round 2 of 3: 0 passed, 1 failed, 0 skipped\n", run.stdout)

    def test_of_several_rounds_what_a_test_said_first_is_shown(self):
        said = [FAILED.replace("[  FAILED  ]", f"a_test.cpp:7: Failure\n{text}\n[  FAILED  ]") for text in ("one", "two")]
        run = self.summarise_rounds(*(((text, PASSED), 8) for text in said))
        self.assertEqual((run.returncode, self.last_line(run)), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("FAILED in 2 of 2 rounds   Rank.Fails", run.stdout)
        self.assertIn("             one\n", run.stdout)
        self.assertNotIn("two", run.stdout)

    def test_of_several_rounds_a_skip_in_one_needs_permission(self):
        ran = PASSED.replace("Rank.Passes", "Psi.IsRead")
        rounds = (((ran,), 0), ((SKIPPED,), 0))
        run = self.summarise_rounds(*rounds)
        self.assertEqual((run.returncode, self.last_line(run)), (1, "0 passed, 0 failed, 1 skipped"))
        self.assertIn("SKIPPED, NOT ALLOWED in 1 of 2 rounds (2)   Psi.IsRead", run.stdout)
        self.assertEqual(self.summarise_rounds(*rounds, allowed="Psi.* * none here\n").returncode, 0)

    def test_of_several_rounds_each_has_to_explain_the_status_of_ctest(self):
        run = self.summarise_rounds(((FAILED,), 8), ((PASSED,), 8))
        self.assertIn("ctest ended with status 8 in round 2 although no test failed", run.stdout)
        self.assertEqual(self.summarise_rounds(((PASSED,), 0), ((PASSED,), 0)).returncode, 0)

    def test_a_row_for_a_test_that_the_machine_has_not_fails_a_whole_run(self):
        in_machine = PASSED.replace("Rank.Passes", "vm.Rank.Passes")
        allowed = "vm.Psi.* * not there\nPsi.* * no PSI\n"
        run = self.summarise(in_machine, allowed=allowed, more=["--whole"])
        self.assertEqual((run.returncode, self.last_line(run)), (1, "1 passed, 0 failed, 0 skipped"))
        self.assertIn("vm.Psi.* of tests/allowed_skips is not a test of this build", run.stdout)
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
