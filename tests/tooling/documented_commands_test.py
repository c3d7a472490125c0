# SPDX-License-Identifier: Apache-2.0
"""The commands in the README, in docs/ and in the manual pages have only options that there are.

usage: documented_commands_test.py EVICTCTL EVICTD
"""
import functools
import pathlib
import re
import subprocess
import sys
import unittest

EVICTCTL, EVICTD = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MANUAL = ROOT / "docs" / "man"
COMMAND = re.compile(r"(?<![\w/.-])(?:build/\w+/bin/)?(evictd|evictctl(?: [a-z][a-z-]+)?)(?= )((?:(?!evictctl |evictd )[^`\n])*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@functools.lru_cache(maxsize=None)
def options_of(command):
    """What `--help` lists of "evictd" or "evictctl SUBCOMMAND"."""
    program, *subcommand = command.split()
    binary = EVICTD if program == "evictd" else EVICTCTL
    text = subprocess.run([binary, *subcommand, "--help"], capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"^ +(?:-\w,)*(--[a-z][a-z-]*)", text, re.MULTILINE))


def commands_in(text):
    """(command, options) of each command of evictd or evictctl in a line of code, up to a comment, a pipe or a file."""
    return [(match[1], OPTION.findall(re.split(r" [#|>]", match[2])[0])) for match in COMMAND.finditer(text)]


def code_of(guide):
    """Lines of code blocks, and what stands in backquotes in a line of text."""
    is_block = False
    for line in guide.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            is_block = not is_block
        elif is_block:
            yield line
        else:
            yield from re.findall(r"`([^`]+)`", line)


def manual_text(page):
    text = page.read_text(encoding="utf-8").replace("\\-", "-")
    return re.sub(r"\\f.", "", text)


class DocumentedCommandsTest(unittest.TestCase):
    def check(self, command, options, where):
        for option in options:
            self.assertIn(option, options_of(command), f"{where}: {command}")

    def test_guides_name_options_that_there_are(self):
        seen = set()
        for guide in GUIDES:
            for code in code_of(guide):
                for command, options in commands_in(code):
                    self.check(command, options, guide.name)
                    seen.update((command, option) for option in options)
        self.assertIn(("evictctl replay", "--without-events"), seen)
        self.assertIn(("evictd", "--record-max-bytes"), seen)
        self.assertIn(("evictctl demo", "--scenario"), seen)

    def test_the_manual_of_evictctl_names_options_that_there_are(self):
        text = manual_text(MANUAL / "man1" / "evictctl.1")
        subcommands = text.split(".SH SUBCOMMANDS")[1].split(".SH EXIT STATUS")[0].split("\n.TP\n")[1:]
        self.assertGreater(len(subcommands), 9)
        for entry in subcommands:
            command = "evictctl " + re.match(r"\.BR? ([a-z-]+)", entry)[1]
            self.assertGreater(len(options_of(command)), 1, command)
            for other, options in commands_in(entry):
                self.check(other, options, "evictctl.1")
            self.check(command, OPTION.findall(COMMAND.sub("", entry)), "evictctl.1")

    def test_the_manual_of_evictd_names_options_that_there_are(self):
        options = OPTION.findall(manual_text(MANUAL / "man8" / "evictd.8"))
        self.assertIn("--record-max-time", options)
        self.check("evictd", options, "evictd.8")

    def test_the_example_configuration_is_valid_as_the_readme_checks_it(self):
        command = "evictctl check-config deploy/evictd.yaml"
        self.assertIn(command, (ROOT / "README.md").read_text(encoding="utf-8"))
        result = subprocess.run(
            [EVICTCTL, *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
