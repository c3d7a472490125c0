# SPDX-License-Identifier: Apache-2.0
"""Completion and manual pages have each subcommand and option that --help has.

usage: command_files_test.py MAKER PROGRAM...
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MAKER = Path(sys.argv[1])
PROGRAMS = [Path(path) for path in sys.argv[2:]]
ROOT = Path(__file__).resolve().parents[2]
# Loads what was made, plays the word before the cursor and the beginning of the one at it, and prints the offers.
BASH = """source "$1"; COMP_WORDS=("${@:3}"); COMP_CWORD=$(($# - 3)); "$2"; printf '%s\\n' "${COMPREPLY[@]}" """


def help_of(program, *subcommand):
    return subprocess.run([program, *subcommand, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout


def options_in(text):
    return set(re.findall(r"^ +(?:-\w,)?(--[a-z][a-z-]*)", text, re.MULTILINE))


def subcommands_in(text):
    listed = text.split("\nSubcommands:\n")[1:]
    return re.findall(r"^  ([a-z][a-z-]*)", listed[0].split("\n\n")[0], re.MULTILINE) if listed else []


class CommandFilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.made = Path(cls.folder.name)
        subprocess.run([sys.executable, "-B", MAKER, cls.made, *PROGRAMS], check=True)

    def offers(self, program, *words):
        function = "_" + program.name.replace("-", "_")
        done = subprocess.run(["bash", "-c", BASH, "bash", self.made / "bash" / program.name, function, program.name, *words],
                              check=True, stdout=subprocess.PIPE, text=True)
        return set(done.stdout.split())

    def levels(self):
        """(program, subcommand or nothing, its help) of all."""
        for program in PROGRAMS:
            text = help_of(program)
            yield program, [], text
            for name in subcommands_in(text):
                yield program, [name], help_of(program, name)

    def test_bash_is_offered_each_subcommand_and_option(self):
        for program, command, text in self.levels():
            self.assertLessEqual(options_in(text), self.offers(program, *command, "-"), (program.name, command))
            if not command:
                self.assertLessEqual(set(subcommands_in(text)), self.offers(program, ""), program.name)

    def test_bash_is_offered_the_words_that_a_value_may_be(self):
        evictctl = next(path for path in PROGRAMS if path.name == "evictctl")
        self.assertEqual(self.offers(evictctl, "demo", "--event-source", ""), {"bpf", "poll"})
        self.assertEqual(self.offers(evictctl, "stat"), {"status"})

    def test_zsh_knows_each_subcommand_and_option(self):
        for program, command, text in self.levels():
            file = (self.made / "zsh" / f"_{program.name}").read_text(encoding="utf-8")
            case = re.search(rf"^  {command[0] if command else chr(39) * 2}\)\n(.*?);;$", file, re.MULTILINE | re.DOTALL)
            known = set(re.findall(r"'(--[a-z][a-z-]*)\[", case[1]))
            self.assertEqual(options_in(text) - known, set(), (program.name, command))
            self.assertEqual([name for name in subcommands_in(text) if f"\n  '{name}:" not in file], [])

    def test_each_program_and_subcommand_has_a_page_with_each_option(self):
        for program, command, text in self.levels():
            name = "-".join([program.name, *command]) + ".[18]"
            pages = [*self.made.glob(f"man[18]/{name}")]
            self.assertEqual(len(pages), 1, name)
            page = pages[0].read_text(encoding="utf-8").replace("\\-", "-")
            lacking = options_in(text) - set(re.findall(r"--[a-z][a-z-]*", page))
            self.assertEqual(lacking, set(), pages[0].name)
            self.assertEqual([name for name in subcommands_in(text) if f".B {name}\n" not in page], [], pages[0].name)

    def test_a_page_keeps_the_sections_that_help_does_not_have(self):
        page = (self.made / "man8/evictd.8").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\.SH (.*)$", page, re.MULTILINE)[:4], ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"])
        self.assertIn(".SH SIGNALS\n", page)

    def test_no_page_has_what_the_formatter_warns_of(self):
        for page in sorted(self.made.glob("man?/*")):
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], stderr=subprocess.PIPE, text=True, check=True)
            self.assertEqual(done.stderr, "", page.name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
