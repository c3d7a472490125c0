# SPDX-License-Identifier: Apache-2.0
"""The matrix of scripts/vm: what counts as passed, and how the table gets into its page."""
import contextlib
import io
import json
import re
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


def text_of(path):
    return (matrix.ROOT / path).read_text(encoding="utf-8")


def rows_of_the_ladder():
    """The rows of the page's ladder, each named like its check."""
    purpose = ""
    ladder = matrix.PAGE.read_text(encoding="utf-8").partition("\n## The ladder\n")[2].partition("\n## ")[0]
    for first, row in re.findall(r"^\| (`[\w-]+` )?\| (`\w+`) \|", ladder, re.MULTILINE):
        purpose = first or purpose
        yield purpose + row


def sources_of(program):
    """The text of the sources in the folder of a test program."""
    folders = [path.parent for path in (matrix.ROOT / "tests").rglob("CMakeLists.txt")
               if re.search(rf"\bevictd_test\(\s*{program}\b", path.read_text(encoding="utf-8"))]
    return "\n".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("*.cpp"))


def is_defined(case, sources):
    """Whether these sources define the case that GoogleTest calls so."""
    prefix, suite, name, parameter = re.fullmatch(r"(?:(\w+)/)?(\w+)\.(\w+)(?:/(\w+))?", case).groups()
    if not re.search(rf"\bTEST{'_P' if prefix else '(_F)?'}\({suite}, {name}\)", sources):
        return False
    made = re.search(rf"INSTANTIATE_TEST_SUITE_P\({prefix}, {suite},(.*?);", sources, re.DOTALL)
    return not prefix or (made is not None and f'"{parameter}"' in made.group(1))


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

    def test_a_column_can_be_written_into_the_table_of_the_page(self):
        kept = matrix.columns_of(matrix.PAGE.read_text(encoding="utf-8"))
        new = {"6.1.0-99-cloud-amd64, cgroup v2": {check.name: "pass" for check in matrix.CHECKS}}
        self.assertIn("| 6.1.0-99-cloud-amd64, cgroup v2 |", matrix.table(matrix.with_columns(kept, new)))

    def test_every_row_of_the_ladder_has_a_check(self):
        rows = list(rows_of_the_ladder())
        self.assertIn("`backstop` `tp_btf`", rows)
        self.assertLessEqual(set(rows), {check.name for check in matrix.CHECKS})

    def test_the_backstop_must_kill_where_fentry_is(self):
        rows = [check for check in matrix.CHECKS if check.name.startswith("`backstop`")]
        for target in matrix.TARGETS:
            wanted = [] if str(target) == "6.1 arm64 v2" else ["`backstop` `fentry`"]
            self.assertEqual([check.name for check in rows if not check.reason(target)], wanted, target)

    def test_the_tree_has_every_case_that_a_check_names(self):
        for check in matrix.CHECKS:
            program, cases = ("bpf_family_test", check.row) if check.row else check.tests
            for case in filter(None, cases.split(":")):
                self.assertTrue(is_defined(case, sources_of(program)), f"{program}: {case}")

    def test_a_machine_of_arm64_is_given_every_test_program(self):
        given = re.search(r"\nif\(NOT EVICTD_VM_TESTS\)\n.*?foreach\(program ([\w ]+)\)",
                          text_of("tests/vm/CMakeLists.txt"), re.DOTALL).group(1).split()
        self.assertLessEqual({"bpf_family_test", *(check.tests[0] for check in matrix.CHECKS)} - {""}, set(given))

    def test_every_build_that_is_tried_is_a_preset(self):
        built = {preset["name"] for preset in json.loads(text_of("CMakePresets.json"))["buildPresets"]}
        self.assertLessEqual(set(matrix.PRESETS.values()), built)


if __name__ == "__main__":
    unittest.main()
