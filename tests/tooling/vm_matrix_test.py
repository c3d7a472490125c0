# SPDX-License-Identifier: Apache-2.0
"""The matrix of scripts/vm: what counts as passed, and how the table gets into its page."""
import contextlib
import io
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib"))
import vm_matrix as matrix  # noqa: E402
from vm_image import ARCHITECTURES, VmError  # noqa: E402

TARGET = matrix.Target("6.1", "v2")
ROWS = [matrix.Check("one", row="Suite.One/fentry"),
        matrix.Check("two", row="Suite.Two", absent={"6.1": "is newer"}),
        matrix.Check("three", command="{bin}/three")]


class MatrixTest(unittest.TestCase):
    def setUp(self):
        self.lines = []

    def column(self, printed, status=0, checks=None):
        def execute(_, line, __):
            self.lines.append(line)
            return status if "three" in line else 0, "6.1.0-1\n" if line == "uname -r" else printed
        with contextlib.redirect_stderr(io.StringIO()) as self.said:
            return matrix.run_target(TARGET, "build/p", execute, checks or ROWS)[1]

    def test_what_passed_what_is_not_there_and_nothing_else_is_asked_for(self):
        column = self.column("[       OK ] Suite.One/fentry (5 ms)\n")
        self.assertEqual(column, {"one": "pass", "two": "is newer", "three": "pass"})
        self.assertEqual(self.lines[1:], ["build/p/tests/bpf_family_test --gtest_filter='Suite.One/fentry'",
                                          "build/p/bin/three"])

    def test_a_row_that_skips_itself_or_did_not_run_has_failed(self):
        for printed in ("[  SKIPPED ] Suite.One/fentry (5 ms)\n", "", "[       OK ] Suite.One/fentry2 (5 ms)\n"):
            self.assertEqual(self.column(printed)["one"], "FAIL", printed)
            self.assertIn("6.1 v2: one: FAIL", self.said.getvalue())

    def test_of_a_row_that_failed_its_own_words_are_shown(self):
        self.column("[ RUN      ] Suite.One/fentry\nits words\n[  FAILED  ] Suite.One/fentry\n[ RUN      ] Suite.Other\nother words\n")
        self.assertIn("its words", self.said.getvalue())
        self.assertNotIn("other words", self.said.getvalue())

    def test_a_command_fails_by_its_exit_status(self):
        self.assertEqual(self.column("what it said", status=1)["three"], "FAIL")
        self.assertIn("what it said", self.said.getvalue())

    def test_a_machine_that_does_not_answer_is_an_error(self):
        with self.assertRaises(VmError):
            matrix.run_target(TARGET, "build/p", lambda *_: (125, "no machine"), ROWS)

    def test_the_page_keeps_all_but_what_was_made_before(self):
        made = matrix.table({"6.1": {"one": "pass"}}, ROWS[:1])
        page = f"before\n{matrix.BEGIN}\n| old |\n{matrix.END}\nafter\n"
        self.assertEqual(matrix.page_with(page, made),
                         f"before\n{matrix.BEGIN}\n| | 6.1 |\n|---|---|\n| one | pass |\n{matrix.END}\nafter\n")
        with self.assertRaises(VmError):
            matrix.page_with("no lines\n", made)

    def test_the_columns_of_other_kernels_stay(self):
        old = {"5.10.0-1-cloud, cgroup v2": {"one": "old"}, "6.1.0-1, cgroup v2": {"one": "old"}}
        page = matrix.page_with(f"{matrix.BEGIN}\n{matrix.END}\n", matrix.table(old, ROWS[:1]))
        new = {"6.1.0-2-cloud-amd64, cgroup v2": {"one": "new"}, "6.1.0-2, cgroup v1": {"one": "new"},
               "6.1.0-2-cloud-arm64, cgroup v2": {"one": "new"}}
        joined = matrix.with_columns(matrix.columns_of(page, ROWS[:1]), new)
        self.assertEqual(list(joined.items()), [("5.10.0-1-cloud, cgroup v2", {"one": "old"}), *new.items()])
        self.assertEqual(matrix.columns_of(f"{matrix.BEGIN}\n(none)\n{matrix.END}\n"), {})
        with self.assertRaises(VmError):
            matrix.columns_of(page, ROWS[1:])

    def test_a_check_that_is_newer_than_a_column_was_not_run(self):
        old = {"5.10.0-1-cloud, cgroup v2": {"three": "FAIL"}, "6.1.0-1, cgroup v2": {"three": "pass"}}
        page = matrix.page_with(f"{matrix.BEGIN}\n{matrix.END}\n", matrix.table(old, ROWS[2:]))
        self.assertEqual(matrix.columns_of(page, ROWS),
                         {"5.10.0-1-cloud, cgroup v2": {"one": "not run", "two": "not run", "three": "FAIL"},
                          "6.1.0-1, cgroup v2": {"one": "not run", "two": "is newer", "three": "pass"}})

    def test_every_check_is_of_one_kind_and_names_kernels_that_there_are(self):
        keys = ["v1", "v2", *ARCHITECTURES, *map(str, matrix.TARGETS), *map(matrix.Target.name_of_kernel, matrix.TARGETS)]
        for check in matrix.CHECKS:
            self.assertEqual(sum(map(bool, (check.row, check.tests[0], check.command, check.budget))), 1, check.name)
            self.assertLessEqual(set(check.absent), set(keys), check.name)
        self.assertEqual(len({check.name for check in matrix.CHECKS}), len(matrix.CHECKS))

    def test_the_page_has_room_for_the_table(self):
        matrix.page_with(matrix.PAGE.read_text(encoding="utf-8"), "")


if __name__ == "__main__":
    unittest.main()
