# SPDX-License-Identifier: Apache-2.0
"""The commands in the README, in docs/ and in the manual pages have only options that there are, and the manual pages
name all of them.

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
# What begins the list of them in `--help`.
KUBELET_FLAGS = "\nThe kubelet's flags, in its syntax:\n"


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


def short_options_of(command):
    return frozenset(name for name in re.findall(r"^ +(-\w),--", help_of(command), re.MULTILINE))


def names_in(text):
    return frozenset(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


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

    def entries_of_evictctl(self):
        """(command, what its manual page says of it) of each subcommand."""
        text = manual_text(MANUAL / "man1" / "evictctl.1")
        subcommands = text.split(".SH SUBCOMMANDS")[1].split(".SH EXIT STATUS")[0].split("\n.TP\n")[1:]
        self.assertGreater(len(subcommands), 9)
        return [("evictctl " + re.match(r"\.BR? ([a-z-]+)", entry)[1], entry) for entry in subcommands]

    def test_the_manual_of_evictctl_names_options_that_there_are(self):
        for command, entry in self.entries_of_evictctl():
            self.assertGreater(len(options_of(command)), 1, command)
            for other, options in commands_in(entry):
                self.check(other, options, "evictctl.1")
            self.check(command, OPTION.findall(COMMAND.sub("", entry)), "evictctl.1")

    def test_the_manual_of_evictd_names_options_that_there_are(self):
        options = OPTION.findall(manual_text(MANUAL / "man8" / "evictd.8"))
        self.assertIn("--record-max-time", options)
        self.check("evictd", options, "evictd.8")

    def test_the_manual_of_evictctl_names_each_subcommand_and_option(self):
        entries = self.entries_of_evictctl()
        subcommands = re.findall(r"^  ([a-z-]+) ", help_of("evictctl").split("Subcommands:\n")[1], re.MULTILINE)
        self.assertEqual(sorted(command for command, _ in entries), sorted(f"evictctl {name}" for name in subcommands))
        preface = manual_text(MANUAL / "man1" / "evictctl.1").split(".SH SUBCOMMANDS")[0]
        common = names_in(preface)
        self.assertEqual(options_of("evictctl") - common, set())
        for command, entry in entries:
            own = help_of(command)
            if "KUBELET-FLAGS" in entry:
                own, flags = own.split(KUBELET_FLAGS)
                self.assertEqual(options_in(flags), options_in(help_of("evictd").split(KUBELET_FLAGS)[1]), command)
            named = names_in(COMMAND.sub("", entry)) | (common & {"--help", "-h"})
            self.assertEqual((options_in(own) | short_options_of(command)) - named, set(), command)

    def test_the_manual_of_evictd_names_each_option(self):
        named = names_in(manual_text(MANUAL / "man8" / "evictd.8"))
        self.assertEqual((options_of("evictd") | short_options_of("evictd")) - named, set())

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
