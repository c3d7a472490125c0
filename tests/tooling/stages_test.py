#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/stages.bash: what runs beside other stages counts as they do."""
import subprocess
import unittest
from pathlib import Path

STAGES = Path(__file__).resolve().parents[2] / "scripts/lib/stages.bash"


def run_stages(lines):
    text = f"set -uo pipefail\n. {STAGES}\n{lines}\nfinish\n"
    return subprocess.run(["bash", "-c", text], text=True, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=50)


class StagesTest(unittest.TestCase):
    def test_all_that_pass_are_a_success(self):
        done = run_stages("beside slow echo of-slow\nstage quick echo of-quick\nawait slow")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?s)of-quick.*slow, which ran beside others: echo of-slow\nof-slow\n")
        self.assertRegex(done.stdout, r"quick +ok +\d+ s\nslow +ok +\d+ s, beside others\ntotal +ok ")

    def test_one_that_fails_beside_others_fails_all(self):
        done = run_stages("beside slow bash -c 'echo why; exit 3'\nstage quick true\nawait slow\nstage last true")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?s)slow failed; its last lines:\nwhy\n.*slow +FAILED.*last +ok.*total +FAILED")

    def test_one_that_fails_does_not_keep_the_next_from_running(self):
        done = run_stages("stage first false\nstage second echo of-second")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?s)of-second.*first +FAILED.*second +ok")


if __name__ == "__main__":
    unittest.main()
