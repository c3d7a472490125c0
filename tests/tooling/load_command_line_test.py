# SPDX-License-Identifier: Apache-2.0
"""evict-load's command line: what is wrong with it exits with 2, and is said before anything is done.

usage: load_command_line_test.py EVICT_LOAD
"""
import subprocess
import sys
import unittest

EVICT_LOAD = sys.argv[1]


class LoadCommandLineTest(unittest.TestCase):
    def refused(self, *arguments):
        result = subprocess.run([EVICT_LOAD, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
        return result.stderr

    def test_an_option_takes_its_value_behind_a_blank_or_an_equals_sign(self):
        for option in (["--rate", "010"], ["--rate=010"]):
            self.assertIn('"010": a leading zero, ', self.refused("memory", *option))

    def test_a_mistyped_option_is_named_with_the_nearest_one(self):
        expected = "evict-load: --rait: unknown option of memory, the nearest is --rate\n"
        for option in (["--rait", "1Mi"], ["--rait=1Mi"]):
            self.assertEqual(self.refused("memory", *option), expected)

    def test_a_flag_with_a_value_is_wrong_usage(self):
        error = self.refused("sleep", "--ignore-term=true")
        self.assertEqual(
            error, 'evict-load: --ignore-term: "true": not allowed; allowed: --ignore-term without a value\n'
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
