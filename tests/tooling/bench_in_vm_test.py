#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/bench-in-vm in a tree of the test's own: what is refused before a machine is booted, and what is kept after.

In place of the machine stands a program that leaves the results that the test gave it, in place of cmake one that
says whether the build is up to date.
"""
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import types
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
VM = """#!/bin/sh
while [ "$1" != --output ]; do shift; done
touch "$FAKE/booted"
[ ! -e "$FAKE/found.json" ] || cp "$FAKE/found.json" "$2/fork_race.json"
exit "$(cat "$FAKE/status")"
"""


class BenchInVmTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = Path(folder.name)
        self.root = self.fake / "tree"
        for name in ("bench-in-vm", "lib/add_results.py", "lib/measured_tree.py"):
            target = self.root / "scripts" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SCRIPTS / name, target)
        self.program(self.root / "scripts/vm", VM)
        self.program(self.root / "build/release/bin/bench-fork_race", "#!/bin/sh\n")
        self.build_ends_with(0)
        self.out = self.root / "bench/results/fork_race.json"
        self.out.parent.mkdir(parents=True)
        (self.root / "userspace").mkdir()
        (self.root / "userspace/main.cpp").write_text("1", encoding="utf-8")
        (self.root / ".gitignore").write_text("/build/\n", encoding="utf-8")
        self.git("init", "-q")
        self.commit = self.commit_all()

    @staticmethod
    def program(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def build_ends_with(self, status):
        self.program(self.fake / "bin/cmake", f"#!/bin/sh\nexit {status}\n")

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def commit_all(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")
        return self.git("rev-parse", "--short=12", "HEAD")

    def results(self, racer, commit=None, kernel="6.1"):
        return {"bench": "fork_race", "commit": commit or self.commit, "date": "", "notes": [],
                "machine": {"kernel": kernel}, "rows": [{"name": "race", "params": {"racer": racer}, "n": 1}]}

    def run_script(self, *arguments, found=None, status=0):
        (self.fake / "status").write_text(str(status), encoding="utf-8")
        if found is not None:
            (self.fake / "found.json").write_text(json.dumps(found), encoding="utf-8")
        environment = {**os.environ, "FAKE": str(self.fake), "PATH": f"{self.fake}/bin:{os.environ['PATH']}"}
        return subprocess.run([self.root / "scripts/bench-in-vm", "fork_race", *arguments], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=50)

    def booted(self):
        return (self.fake / "booted").exists()

    def kept(self):
        return sorted((self.root / "build").glob("bench-fork_race.*/fork_race.json"))

    def racers(self):
        return [row["params"]["racer"] for row in json.loads(self.out.read_text(encoding="utf-8"))["rows"]]

    def test_results_of_another_commit_are_refused_before_the_machine_is_booted(self):
        self.out.write_text(json.dumps(self.results("a", commit="c0ffee")), encoding="utf-8")
        done = self.run_script("--add", found=self.results("b"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("commit is c0ffee", done.stderr)
        self.assertFalse(self.booted())

    def test_a_tree_that_does_not_build_is_refused(self):
        self.build_ends_with(1)
        done = self.run_script(found=self.results("a"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not build", done.stderr)
        self.assertFalse(self.booted())

    def test_a_tree_with_changes_is_named_and_its_rows_are_not_added(self):
        (self.root / "userspace/main.cpp").write_text("2", encoding="utf-8")
        self.assertIn(f"{self.commit}-dirty: userspace/main.cpp", self.run_script(found=self.results("a")).stderr)
        self.assertTrue(self.booted())
        (self.fake / "booted").unlink()
        self.assertEqual(self.run_script("--add", found=self.results("b")).returncode, 1)
        self.assertFalse(self.booted())
        self.assertEqual(self.racers(), ["a"])

    def test_rows_that_turn_out_to_be_of_another_machine_are_kept_and_named(self):
        self.out.write_text(json.dumps(self.results("a")), encoding="utf-8")
        self.git("add", "-A")
        done = self.run_script("--add", found=self.results("b", kernel="6.18"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(self.kept()), 1)
        self.assertIn(str(self.kept()[0]), done.stderr)
        self.assertEqual(self.racers(), ["a"])

    def test_finished_rows_of_a_run_that_failed_are_added(self):
        self.out.write_text(json.dumps(self.results("a")), encoding="utf-8")
        done = self.run_script("--add", found=self.results("b"), status=124)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertEqual(self.racers(), ["a", "b"])
        self.assertEqual(self.kept(), [])

    def test_a_run_that_failed_replaces_no_results_but_its_rows_are_kept(self):
        self.out.write_text(json.dumps(self.results("a")), encoding="utf-8")
        done = self.run_script(found=self.results("b"), status=1)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.racers(), ["a"])
        self.assertIn(str(self.kept()[0]), done.stderr)

    def test_a_run_without_results_leaves_nothing_behind(self):
        self.assertEqual(self.run_script(status=1).returncode, 1)
        self.assertEqual(list((self.root / "build").glob("bench-*")), [])


class VmOutputTest(unittest.TestCase):
    def test_what_was_handed_out_is_unpacked_when_the_run_is_stopped(self):
        loader = importlib.machinery.SourceFileLoader("vm", str(SCRIPTS / "vm"))
        vm = importlib.util.module_from_spec(importlib.util.spec_from_loader("vm", loader))
        loader.exec_module(vm)
        done = []

        class StoppedMachine:
            def execute(self, *_):
                raise KeyboardInterrupt

            def kill(self):
                done.append("kill")

            def unpack_files(self, folder):
                done.append(f"unpack into {folder}")

        vm.machine_of = lambda _: StoppedMachine()
        vm.boot = lambda *_: None
        options = types.SimpleNamespace(command=["true"], timeout=1, output="/there")
        with self.assertRaises(KeyboardInterrupt):
            vm.run(options)
        self.assertEqual(done[:2], ["kill", "unpack into /there"])


if __name__ == "__main__":
    unittest.main()
