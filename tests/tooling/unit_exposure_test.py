# SPDX-License-Identifier: Apache-2.0
"""How much of the system the units expose, as systemd-analyze counts it.

usage: unit_exposure_test.py BUILD
"""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

UNITS = Path(sys.argv[1]) / "deploy"
# In tenths, as --threshold takes them.
MOST = {"evictd.service": 40, "evictd-web.service": 15, "evictd-kube.service": 15, "evictd-notify.service": 40}
ARGUED = ("evictd.service", "evictd-web.service")


def security(unit, *options):
    return subprocess.run(["systemd-analyze", "security", "--no-pager", "--offline=yes", *options, UNITS / unit],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def words_of(name):
    """What stands for a row of the table in a comment: the setting, or what of it is left."""
    setting, _, left = name.partition("=~")
    if not left:
        return [name.split("=")[0].split("/")[0]]
    # Of several capabilities, CAP_(DAC_*|FOWNER), the first.
    left = left.replace("CAP_(", "CAP_")
    return re.findall(r"CAP_[A-Z]+|AF_[A-Z]+|@[a-z-]+", left)[:1] or [setting]


class UnitExposureTest(unittest.TestCase):
    def test_none_exposes_more_than_it_may(self):
        for unit, most in MOST.items():
            done = security(unit, f"--threshold={most}")
            self.assertEqual(done.returncode, 0, done.stdout[-200:] + done.stderr)

    def test_the_threshold_is_judged(self):
        self.assertNotEqual(security("evictd.service", "--threshold=1").returncode, 0)

    def test_each_exposure_that_is_left_is_argued_in_a_comment(self):
        for unit in ARGUED:
            text = (UNITS / unit).read_text(encoding="utf-8")
            comments = "\n".join(line for line in text.splitlines() if line.startswith("#"))
            rows = json.loads(security(unit, "--json=short").stdout)
            left = [row["name"] for row in rows if row["exposure"] and not row["set"]]
            self.assertGreater(len(left), 3, unit)
            silent = [name for name in left if not all(word in comments for word in words_of(name))]
            self.assertEqual(silent, [], unit)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
