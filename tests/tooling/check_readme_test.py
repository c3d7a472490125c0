#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-readme refuses a README by which nothing would be shown."""
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-readme"
CHECK, START, STATUS = (f"build/release/bin/{command}\n" for command in (
    "evictctl check-config FILE", "evictd --config FILE", "evictctl status"))


class CheckReadmeTest(unittest.TestCase):
    def refusal(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as readme:
            readme.write(text)
            readme.flush()
            done = subprocess.run([SCRIPT, "--readme", readme.name, "--build", "/nonexistent"], text=True, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=50)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        return done.stderr

    def test_without_the_section_or_without_commands_in_it(self):
        block = f"```\n{CHECK}{START}{STATUS}```\n"
        for text in ("", f"## Another\n{block}", f"## Running it\n\n## Another\n{block}",
                     f"## Running it\n{CHECK}{START}{STATUS}", "## Running it\n```\nls\n```\n"):
            self.assertIn("has to check the configuration, to start one evictd and to end with evictctl status, not: "
                          "nothing", self.refusal(text))

    def test_without_one_of_the_three(self):
        for commands in (CHECK + STATUS, CHECK + START, START + STATUS, CHECK + START + START + STATUS,
                         START + CHECK + STATUS):
            said = self.refusal(f"## Running it\n```\n{commands}```\n")
            self.assertIn(f"not: {commands.strip().splitlines()[0]}", said)


if __name__ == "__main__":
    unittest.main()
