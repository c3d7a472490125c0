# SPDX-License-Identifier: Apache-2.0
"""scripts/verifier-budget: what it finds wrong, and how it keeps its page."""
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

SCRIPT = str(Path(__file__).resolve().parents[2] / "scripts/verifier-budget")
LOADER = SourceFileLoader("verifier_budget", SCRIPT)
budget = module_from_spec(spec_from_loader("verifier_budget", LOADER))
LOADER.exec_module(budget)

PAGE = """# Title

| program | 6.1 instructions | 6.1 states |
|---|---:|---:|
| `sweep` | 100 | 10 |
| `charge` | - | - |

The end.
"""


class BudgetTest(unittest.TestCase):
    def complaints(self, **measured):
        return list(budget.complaints({"charge": budget.REFUSED, **measured}, budget.read_page(PAGE)["6.1"]))

    def test_a_fifth_more_is_allowed(self):
        self.assertEqual(self.complaints(sweep=("120", "12")), [])

    def test_more_than_a_fifth_is_not(self):
        self.assertIn("121 instructions", self.complaints(sweep=("121", "10"))[0])
        self.assertIn("13 states", self.complaints(sweep=("100", "13"))[0])

    def test_a_program_without_a_row_and_a_row_without_a_program_are_named(self):
        self.assertIn("new has no row", self.complaints(sweep=("100", "10"), new=("1", "1"))[0])
        self.assertIn("sweep has a row", self.complaints()[0])

    def test_a_program_that_the_kernel_begins_to_refuse_is_named(self):
        self.assertIn("refused", self.complaints(sweep=budget.REFUSED)[0])

    def test_the_page_keeps_its_text_and_the_other_kernels(self):
        kernels = budget.read_page(PAGE)
        kernels["6.18"] = {"sweep": ("200", "20"), "charge": ("5", "1")}
        text = budget.page_with(PAGE, kernels)
        self.assertEqual(budget.read_page(text), kernels)
        self.assertTrue(text.startswith("# Title\n") and text.endswith("The end.\n"))


if __name__ == "__main__":
    unittest.main()
