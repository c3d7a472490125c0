#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes completion for bash and zsh, and a manual page for each subcommand that has none in docs/man, from --help.

usage: make_command_files.py FOLDER PROGRAM...

FOLDER then has man1/PROGRAM-SUBCOMMAND.1, bash/PROGRAM and zsh/_PROGRAM.
"""
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


def manual(program: str, subcommand: str, told: Help) -> str:
    name = f"{program}-{subcommand}"
    sentence = told.summary.split(": ")[0].split(". ")[0].rstrip(".")
    lines = [f'.\\" {LICENCE}', f'.TH {roff(name.upper())} 1 "" evictd "User commands"', ".SH NAME",
             f"{roff(name)} \\- {roff(sentence[0].lower() + sentence[1:])}", ".SH SYNOPSIS", roff(told.usage), ".SH DESCRIPTION",
             roff(told.summary)]
    if told.positionals:
        lines.append(".SH ARGUMENTS")
        for word, text in told.positionals.items():
            lines += [".TP", f".I {roff(word)}", roff(text)]
    lines.append(".SH OPTIONS")
    for option in told.options:
        names = ", ".join(filter(None, (option.short, option.name)))
        lines += [".TP", f".B {roff(joined_value(names, option))}", roff(option.text)]
    if told.notes:
        lines += [".SH NOTES"]
        for note in told.notes:
            lines += [".PP", roff(note)]
    lines += [".SH SEE ALSO", f".BR {roff(program)} (1),", ".BR evictd (8)"]
    return "\n".join(line for line in lines if line) + "\n"


def joined_value(names: str, option: Option) -> str:
    return f"{names} {option.value}" if option.value else names


def bash(program: str, commands: Dict[str, Help]) -> str:
    """`commands` has the program itself under the empty name."""
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
        for name in told.subcommands:
            page = f"{program}-{name}.1"
            if not (WRITTEN / "man1" / page).exists():
                write(folder / "man1" / page, manual(program, name, commands[name]))


if __name__ == "__main__":
    main()
