#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/add_results.py and measured_tree.py: rows of several sittings in one file."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/lib/add_results.py"


def results(rows, commit="c0ffee", kernel="6.1", notes=()):
    return {"bench": "some", "commit": commit, "date": "2026-01-01T00:00:00Z", "notes": list(notes),
            "machine": {"kernel": kernel, "memory": f"{len(rows)} kB"},
            "rows": [{"name": name, "params": {"racer": racer}, "n": n} for name, racer, n in rows]}


class History:
    """A repository with a commit for each change that a test makes."""

    def __init__(self, folder):
        self.path = Path(folder)
        self.git("init", "-q")

    def git(self, *arguments):
        done = subprocess.run(["git", "-C", self.path, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def commit(self, *files):
        for name in files:
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{len(list(self.path.rglob('*')))}", encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "--short=12", "HEAD")


class AddResultsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.new = Path(folder.name, "new.json")
        self.into = Path(folder.name, "into.json")

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=50)

    def add(self, new, old=None, *options):
        self.new.write_text(json.dumps(new), encoding="utf-8")
        if old is not None:
            self.into.write_text(json.dumps(old), encoding="utf-8")
        return self.run_script(*options, self.new, self.into)

    def whole(self):
        return json.loads(self.into.read_text(encoding="utf-8"))

    def rows(self):
        whole = json.loads(self.into.read_text(encoding="utf-8"))
        return [(row["name"], row["params"]["racer"], row["n"]) for row in whole["rows"]]

    def test_the_first_sitting_makes_the_file(self):
        self.assertEqual(self.add(results([("race", "a", 1)])).returncode, 0)
        self.assertEqual(self.rows(), [("race", "a", 1)])

    def test_new_rows_follow_and_replace_those_of_the_same_name_and_params(self):
        done = self.add(results([("race", "a", 20), ("race", "c", 20)]), results([("race", "a", 2), ("race", "b", 20)]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows(), [("race", "b", 20), ("race", "a", 20), ("race", "c", 20)])

    def test_notes_of_all_sittings_are_kept_once(self):
        self.add(results([], notes=["hook", "new"]), results([], notes=["hook", "old"]))
        self.assertEqual(json.loads(self.into.read_text(encoding="utf-8"))["notes"], ["hook", "old", "new"])

    def test_a_note_of_a_row_goes_with_the_row(self):
        old = results([("race", "a", 0), ("race", "b", 0)])
        for row in old["rows"]:
            row["notes"] = [f"{row['params']['racer']}: NOT RUN"]
        self.assertEqual(self.add(results([("race", "a", 20)]), old).returncode, 0)
        self.assertEqual([row.get("notes") for row in self.whole()["rows"]], [["b: NOT RUN"], None])

    def test_a_row_that_could_not_be_run_replaces_none_that_was_measured(self):
        done = self.add(results([("race", "a", 0), ("race", "b", 0)]), results([("race", "a", 20), ("race", "b", 0)]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows(), [("race", "a", 20), ("race", "b", 0)])

    def test_a_commit_that_changes_nothing_measured_will_do_where_it_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            history = History(folder)
            first = history.commit("userspace/daemon/main.cpp", "docs/a.md")
            second = history.commit("docs/a.md", "userspace/cli/main.cpp", "bench/other/main.cpp")
            old, new = results([("race", "a", 1)], commit=first), results([("race", "b", 1)], commit=second)
            done = self.add(new, old, "--tree", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("--across-commits", done.stderr)
            done = self.add(new, old, "--tree", folder, "--across-commits")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.rows(), [("race", "a", 1), ("race", "b", 1)])
            self.assertEqual(self.whole()["commit"], second)
            self.assertIn(f"rows of commits {first} and {second}", self.whole()["notes"][-1])

    def test_a_commit_that_changes_what_is_measured_is_refused_whatever_is_asked_for(self):
        for changed in ("userspace/daemon/main.cpp", "bpf/a.bpf.c", "bench/some/main.cpp", "scripts/lib/vm_init"):
            with self.subTest(changed), tempfile.TemporaryDirectory() as folder:
                history = History(folder)
                first, second = history.commit("docs/a.md"), history.commit(changed)
                done = self.add(results([], commit=second), results([], commit=first), "--tree", folder,
                                "--across-commits")
                self.assertEqual(done.returncode, 1)
                self.assertIn(changed, done.stderr)

    def test_a_commit_that_nobody_knows_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            second = History(folder).commit("docs/a.md")
            done = self.add(results([], commit=second), results([]), "--tree", folder, "--across-commits")
            self.assertEqual(done.returncode, 1)
            self.assertIn("c0ffee", done.stderr)

    def test_before_a_sitting_only_bench_and_commit_are_judged_and_nothing_is_written(self):
        old = results([("race", "a", 1)])
        self.into.write_text(json.dumps(old), encoding="utf-8")
        self.assertEqual(self.run_script("--before", "some", "c0ffee", self.into).returncode, 0)
        for bench, commit, words in (("some", "decade", "commit is c0ffee"), ("any", "c0ffee", "bench is some")):
            done = self.run_script("--before", bench, commit, self.into)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
        self.assertEqual(self.whole(), old)
        self.assertEqual(self.run_script("--before", "some", "decade", self.new).returncode, 0)

    def test_another_commit_or_kernel_is_refused_and_changes_nothing(self):
        old = results([("race", "a", 1)])
        for words, new in (("commit is c0ffee", results([("race", "b", 1)], commit="decade")),
                           ("kernel is 6.1", results([("race", "b", 1)], kernel="6.18"))):
            done = self.add(new, old)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertEqual(json.loads(self.into.read_text(encoding="utf-8")), old)

    def test_a_file_that_cannot_be_read_is_named(self):
        self.into.write_text("{", encoding="utf-8")
        done = self.add(results([]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("into.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
