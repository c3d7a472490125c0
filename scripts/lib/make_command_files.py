#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates completion for bash and zsh, and a manual page for each program and subcommand, from --help.

usage: make_command_files.py FOLDER PROGRAM...

Writes bash/PROGRAM, zsh/_PROGRAM and the pages in man1 and man8 into FOLDER. A page of that name in docs/man adds what
--help lacks: name, description and further sections. Synopsis, options and subcommands are inserted into it.
"""
import re
import sys
from pathlib import Path
from typing import Dict, List

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from command_help import Help, Option, read  # noqa: E402

WRITTEN = Path(__file__).resolve().parents[2] / "docs/man"
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def synopsis(told: Help) -> List[str]:
    return [".SH SYNOPSIS", roff(told.usage)]


def arguments(program: str, told: Help) -> List[str]:
    """The sections of subcommands, arguments and options, then the end of --help."""
    lines = []
    for heading, words in (("SUBCOMMANDS", told.subcommands), ("ARGUMENTS", told.positionals)):
        lines += [f".SH {heading}"] if words else []
        for word, text in words.items():
            mark = ".B" if heading == "SUBCOMMANDS" else ".I"
            lines += [".TP", f"{mark} {roff(word)}", roff(text)]
    if told.subcommands:
        lines += [".PP", "Each has a page of its own, as", f".BR {roff(program)}\\-{roff(next(iter(told.subcommands)))} (1)."]
    lines.append(".SH OPTIONS")
    for option in told.options:
        names = ", ".join(filter(None, (option.short, option.name)))
        lines += [".TP", f".B {roff(joined_value(names, option))}", roff(option.text)]
    if told.notes:
        lines.append(".SH NOTES")
        for note in told.notes:
            lines += [".PP", roff(note)]
    return lines


def manual(program: str, subcommand: str, told: Help) -> str:
    name = f"{program}-{subcommand}"
    sentence = told.summary.split(": ")[0].split(". ")[0].rstrip(".")
    lines = [f'.\\" {LICENCE}', f'.TH {roff(name.upper())} 1 "" evictd "User commands"', ".SH NAME",
             f"{roff(name)} \\- {roff(sentence[0].lower() + sentence[1:])}", *synopsis(told), ".SH DESCRIPTION",
             roff(told.summary), *arguments(program, told), ".SH SEE ALSO", f".BR {roff(program)} (1),", ".BR evictd (8)"]
    return "\n".join(line for line in lines if line) + "\n"


def completed(page: str, program: str, told: Help) -> str:
    """A page of docs/man with --help inserted: the synopsis before its description, the rest after it."""
    head, name, description, *further = re.split(r"^(?=\.SH )", page, flags=re.MULTILINE)
    if not (name.startswith(".SH NAME\n") and description.startswith(".SH DESCRIPTION\n")):
        raise ValueError(f"the page of {program} in docs/man must begin with NAME and DESCRIPTION")
    told_text = "\n".join(line for line in arguments(program, told) if line) + "\n"
    return "".join([head, name, "\n".join(synopsis(told)) + "\n", description, told_text, *further])


def joined_value(names: str, option: Option) -> str:
    return f"{names} {option.value}" if option.value else names


def bash(program: str, commands: Dict[str, Help]) -> str:
    """`commands` contains the program itself under the empty name."""
    function = "_" + program.replace("-", "_")
    lines = [f"# {LICENCE}", f"# Completion of {program} for bash.", f"{function}() {{",
             "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' words=''",
             "  local subcommands='" + " ".join(commands[""].subcommands) + "'",
             "  ((COMP_CWORD < 2)) || [[ \" $subcommands \" != *\" ${COMP_WORDS[1]} \"* ]] || command=${COMP_WORDS[1]}",
             "  case $command:$previous in"]
    for name, told in commands.items():
        for option in told.options:
            if option.choices():
                lines.append(f"    {name}:{option.name}) words='{' '.join(option.choices())}' ;;")
    lines += ["    *)", "      case $command in"]
    for name, told in commands.items():
        options = [word for option in told.options for word in (option.name, option.short) if word]
        first = [] if name else list(told.subcommands)
        pattern = name or "''"
        lines.append(f"        {pattern}) words='{' '.join(first + options)}' ;;")
    lines += ["      esac", "      ;;", "  esac", "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))", "}",
              f"complete -o default -F {function} {program}"]
    return "\n".join(lines) + "\n"


def zsh_quoted(text: str) -> str:
    for mark in "\\[]:":
        text = text.replace(mark, "\\" + mark)
    return text.replace("'", "'\\''")


def zsh_option(option: Option) -> List[str]:
    text = f"[{zsh_quoted(option.text)}]"
    value = ""
    if option.value:
        value = f":value:({' '.join(option.choices())})" if option.choices() else ":value:_files"
    return [f"'{name}{text}{value}'" for name in (option.name, option.short) if name]


def zsh(program: str, commands: Dict[str, Help]) -> str:
    lines = [f"#compdef {program}", f"# {LICENCE}", "local command=''", "local -a subcommands=("]
    lines += [f"  '{name}:{zsh_quoted(text)}'" for name, text in commands[""].subcommands.items()]
    lines += [")", "if ((${#subcommands} > 0)); then",
              "  if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then", "    _describe subcommand subcommands", "    return", "  fi",
              "  if (($+subcommands[(r)$words[2]:*])); then", "    command=$words[2]", "    shift words", "    ((CURRENT--))",
              "  fi", "fi", "case $command in"]
    for name, told in commands.items():
        pattern = name or "''"
        rows = [row for option in told.options for row in zsh_option(option)]
        lines += [f"  {pattern})", "    _arguments \\"] + [f"      {row} \\" for row in rows] + ["      '*:file:_files'", "    ;;"]
    lines.append("esac")
    return "\n".join(lines) + "\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    folder = Path(sys.argv[1])
    for path in sys.argv[2:]:
        program = Path(path).name
        told = read(path)
        commands = {"": told, **{name: read(path, name) for name in told.subcommands}}
        write(folder / "bash" / program, bash(program, commands))
        write(folder / "zsh" / f"_{program}", zsh(program, commands))
        for subcommand, told in commands.items():
            name = f"{program}-{subcommand}".rstrip("-")
            begun = next(WRITTEN.glob(f"man[18]/{name}.[18]"), None)
            if begun:
                text = completed(begun.read_text(encoding="utf-8"), program, told)
                write(folder / begun.relative_to(WRITTEN), text)
            else:
                write(folder / "man1" / f"{name}.1", manual(program, subcommand, told))


if __name__ == "__main__":
    main()
