# SPDX-License-Identifier: Apache-2.0
"""Judges answers written by `evictd-vectors --answers`, sharing no code with it."""
import json
import pathlib
import subprocess
import sys


def read_cases(path):
    if path.suffix == ".zst":
        text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
    else:
        text = path.read_bytes()
    return [json.loads(line) for line in text.decode().splitlines() if line]


def right_ranking(expected, actual):
    at = 0
    for group in expected:
        if sorted(actual[at : at + len(group)]) != group:
            return False
        at += len(group)
    return at == len(actual)


def right_steps(expected, actual):
    if len(expected["steps"]) != len(actual["steps"]):
        return False
    for wanted, step in zip(expected["steps"], actual["steps"]):
        outcomes = wanted.get("outcomes", [{}])
        rest = {key: value for key, value in wanted.items() if key != "outcomes"}
        taken = step.pop("outcome")
        if step != rest or taken not in outcomes:
            return False
    return True


def right(name, expected, actual):
    if name.startswith("rank_"):
        return right_ranking(expected, actual)
    if name.startswith("synchronize"):
        return right_steps(expected, actual)
    if isinstance(expected, dict) and expected.get("artefact"):
        keys = ("value", "string", "format", "sign")
        return all(expected[key] == actual[key] for key in keys if key in expected)
    return expected == actual


def wrong_answers(cases, answers):
    """Ids of the cases of directory `cases` that directory `answers` has no right answer for."""
    wrong = []
    for path in sorted(pathlib.Path(cases).glob("*.jsonl*")):
        name = path.name.removesuffix(".zst")
        with open(pathlib.Path(answers) / name, encoding="utf-8") as lines:
            given = {answer["id"]: answer["actual"] for answer in map(json.loads, lines)}
        for case in read_cases(path):
            if case["id"] not in given or not right(name, case["expected"], given[case["id"]]):
                wrong.append(f"{name}: {case['id']}")
    return wrong


if __name__ == "__main__":
    found = wrong_answers(*sys.argv[1:3])
    print(*found, f"{len(found)} wrong", sep="\n")
    sys.exit(1 if found else 0)
