# SPDX-License-Identifier: Apache-2.0
"""Parses the programs' --help, the single source of shell completion and of the subcommands' manual pages."""
import re
import subprocess
from dataclasses import dataclass, field
from typing import Dict, List

OPTION = re.compile(r"^  (?:(-\w),)?(--[a-z][a-z-]*)(?: (\S.*?))?(?:  +(\S.*))?$")
WORD = re.compile(r"^  ([A-Za-z][\w-]*)(?: \S+)*?(?:  +(\S.*))?$")


@dataclass
class Option:
    name: str
    short: str = ""
    # Placeholder of its value; empty for a flag.
    value: str = ""
    text: str = ""

    def choices(self) -> List[str]:
        match = re.search(r"\{(.*)\}", self.value)
        return match[1].split(",") if match else []


@dataclass
class Help:
    usage: str = ""
    summary: str = ""
    options: List[Option] = field(default_factory=list)
    # Name and text of each.
    positionals: Dict[str, str] = field(default_factory=dict)
    subcommands: Dict[str, str] = field(default_factory=dict)
    # The paragraphs after the options.
    notes: List[str] = field(default_factory=list)


def option_of(match: "re.Match[str]") -> Option:
    """Options that it needs or excludes belong to its text, not to its value."""
    value, *others = re.split(r"(?:^| )(?=(?:Needs|Excludes): )", match[3] or "")
    text = " ".join(filter(None, [*(f"({other})" for other in others), match[4]]))
    return Option(match[2], match[1] or "", value, text)


def joined(before: str, more: str) -> str:
    return f"{before} {more}".strip()


def parse(text: str) -> Help:
    found = Help()
    part = "summary"
    last = None
    for line in text.splitlines():
        heading = re.match(r"^(Options|Positionals|Subcommands|The kubelet's flags[^:]*):$", line)
        option = OPTION.match(line)
        if heading:
            part = "Options" if heading[1].startswith("The kubelet") else heading[1]
        elif line.startswith("Usage: "):
            found.usage = line[len("Usage: "):]
        elif option and part == "Options":
            last = option_of(option)
            found.options.append(last)
        elif part in ("Positionals", "Subcommands") and WORD.match(line):
            name, words = WORD.match(line).groups()
            last = found.positionals if part == "Positionals" else found.subcommands
            last[name] = words or ""
        elif part != "summary" and part != "notes" and re.match(r"^ {6,}\S", line):
            if isinstance(last, Option):
                last.text = joined(last.text, line.strip())
            else:
                name = next(reversed(last))
                last[name] = joined(last[name], line.strip())
        elif part == "summary":
            found.summary = joined(found.summary, line.strip())
        elif line.strip():
            found.notes += [""] if part != "notes" else []
            part = "notes"
            found.notes[-1] += line + "\n"
        elif part == "notes" and found.notes[-1]:
            found.notes.append("")
    found.notes = [note for note in found.notes if note]
    return found


def read(program: str, *subcommand: str) -> Help:
    return parse(subprocess.run([program, *subcommand, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout)
