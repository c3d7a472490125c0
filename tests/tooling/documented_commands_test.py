# SPDX-License-Identifier: Apache-2.0
"""The commands in the README, in docs/ and in the written parts of manual pages have only options that there are.

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
def help_of(command):
    """What `--help` says of "evictd", "evictctl" or "evictctl SUBCOMMAND"."""
    program, *subcommand = command.split()
    binary = EVICTD if program == "evictd" else EVICTCTL
    return subprocess.run([binary, *subcommand, "--help"], capture_output=True, text=True, check=True).stdout


def options_in(help_text):
    return frozenset(re.findall(r"^ +(?:-\w,)*(--[a-z][a-z-]*)", help_text, re.MULTILINE))


def options_of(command):
    return options_in(help_of(command))


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

    def test_what_is_written_of_manual_pages_names_options_that_there_are(self):
        seen = set()
        for page in sorted(MANUAL.glob("man[18]/*")):
            program, *subcommand = page.stem.split("-")
            if program not in ("evictd", "evictctl") or page.stem in ("evictd-kube", "evictd-web"):
                continue
            commands = [" ".join([program, *subcommand])]
            if commands == ["evictctl"]:
                listed = re.findall(r"^  ([a-z-]+) ", help_of("evictctl").split("Subcommands:\n")[1], re.MULTILINE)
                commands += [f"evictctl {name}" for name in listed]
            known = frozenset().union(*map(options_of, commands))
            named = set(OPTION.findall(manual_text(page)))
            self.assertEqual(named - known, set(), page.name)
            seen.update((page.name, name) for name in named)
        self.assertIn(("evictctl-listen.1", "--count"), seen)

    def test_each_function_has_a_page_that_can_be_read_before_it_is_installed_too(self):
        header = (ROOT / "include" / "evictd" / "notify.h").read_text(encoding="utf-8")
        functions = sorted(set(re.findall(r"\b(evictd_notify_\w+)\(", header)))
        self.assertGreater(len(functions), 7)
        shared = MANUAL / "man3" / "evictd_notify.3"
        names = shared.read_text(encoding="utf-8").split(".SH NAME\n")[1].split(" \\-")[0].split(", ")
        self.assertEqual(sorted(names), functions)
        pages = [page for page in MANUAL.glob("man*/*") if page.name != shared.name and page.parent == shared.parent]
        self.assertEqual(sorted(page.stem for page in pages), functions)
        for page in pages:
            # `man -l` finds what a link names beside it, but what `.so` names only where man is installed.
            self.assertEqual(page.read_bytes(), shared.read_bytes(), page.name)

    def test_the_example_configuration_is_valid_as_the_readme_checks_it(self):
        command = "evictctl check-config deploy/evictd.yaml"
        self.assertIn(command, (ROOT / "README.md").read_text(encoding="utf-8"))
        result = subprocess.run(
            [EVICTCTL, *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
