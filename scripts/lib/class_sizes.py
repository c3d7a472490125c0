#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the fields and methods of C++ classes: their number says how many ideas a class has, the length of its
header does not. Reads the house's style: a field ends in an underscore. Methods of one name count once, and
constructors, destructors and operators do not."""
import re
from typing import Iterator, List, NamedTuple, Set

CLASS = re.compile(r"(?<!enum )\bclass\s+(\w+)(?:\s+final)?\s*(?::[^;{()]*)?\{")
NO_MEMBER = re.compile(r"(using|friend|typedef|static_assert|struct|class|enum|union)\b")
METHOD = re.compile(r"(~?\w+|operator\W+)\s*\(\)")
FIELD = re.compile(r"\b([a-z]\w*_)\b(?=\s*(?:=|,|\[|$))")


class ClassSize(NamedTuple):
    name: str
    line: int
    fields: int
    methods: int


def without_comments(text: str) -> str:
    """The text with as many lines, and no comment or literal."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda match: "\n" * match.group(0).count("\n"), text)


def body_at(text: str, begin: int) -> str:
    """What is between the brace at `begin` and the one that closes it."""
    depth = 0
    for end in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[begin + 1 : end]
    return text[begin + 1 :]


def declarations(body: str) -> List[str]:
    """The members declared in a class's body, without what is inside their brackets."""
    flat = ""
    depth = 0
    for char in body:
        if char in ")}":
            depth -= 1
        if depth == 0:
            flat += char
        if char in "({":
            depth += 1
    while True:
        outer = re.sub(r"<[^<>;{}]*>", " ", flat)
        if outer == flat:
            break
        flat = outer
    flat = re.sub(r"\b(public|protected|private)\s*:", "", flat)
    flat = re.sub(r"\{\}(?=\s*[;,])", "", flat)
    return [" ".join(one.split()) for one in re.split(r";|\{\}", flat) if one.strip()]


def class_sizes(text: str) -> Iterator[ClassSize]:
    code = without_comments(text)
    for match in CLASS.finditer(code):
        name = match.group(1)
        methods: Set[str] = set()
        fields = 0
        for one in declarations(body_at(code, match.end() - 1)):
            method = METHOD.search(one.split("=")[0])
            if NO_MEMBER.match(one):
                continue
            if method is None:
                fields += len(FIELD.findall(one))
            elif method.group(1).lstrip("~") != name and not method.group(1).startswith("operator"):
                methods.add(method.group(1))
        yield ClassSize(name, code.count("\n", 0, match.start()) + 1, fields, len(methods))
