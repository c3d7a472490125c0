#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/bench-all in a tree of the test's own, with a plan of a program that measures nothing; this tree's plan."""
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))
from bench_plan import load_plan  # noqa: E402

COPIED = ("bench-all", "bench-report", "lib/add_results.py", "lib/bench_picture.py", "lib/bench_plan.py",
          "lib/measured_tree.py")
PLAN = """
measures = ["bpf"]
[results.quick]
run = "bench/measure {out} quick"
targets = ["bench-quick", "evictd"]
minutes = 1
[results.race]
run = "bench/measure {out} race {row}"
rows = [["a", "b"], ["swap"]]
targets = ["bench-race", "evictd"]
minutes = 60
"""
PARTS = """
measures = ["bpf"]
[results.race]
run = "bench/measure {out} race --trials {trials} --rows {row}"
targets = ["bench-race", "evictd"]
[[results.race.parts]]
trials = 20
rows = [["a", "b"], ["swap"]]
minutes = 60
[[results.race.parts]]
trials = 5
rows = [["c"]]
minutes = 10
"""
# Records its arguments and writes a result. Files of the test make it wait, change the tree, or fail for one row.
MEASURE = """#!/bin/sh
out=$1
shift
echo "$*" >>"$FAKE/calls"
printf '{"bench": "%s", "commit": "%s", "date": "", "machine": {}, "rows": [{"name": "wake", "params": {"row": "%s"}, \
"unit": "us", "n": 1, "p50": 1}]}' "$1" "$EVICTD_COMMIT" "$*" >"$out"
if [ -e "$FAKE/hangs" ]; then
  trap 'echo cleaned >>"$FAKE/calls"; exit 1' INT
  echo >"$FAKE/started"
  read -r _ <"$FAKE/hangs"
fi
[ ! -e "$FAKE/moves" ] || echo >bpf/added.c
[ "$*" != "$(cat "$FAKE/fails" 2>/dev/null)" ]
"""
PAGE = "<!-- bench-report race wake -->\n<!-- /bench-report -->\n"


class BenchAllTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = Path(folder.name)
        self.root = self.fake / "tree"
        for name in COPIED:
            target = self.root / "scripts" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / "scripts" / name, target)
        self.write("bench/plan.toml", PLAN)
        self.write("bench/measure", MEASURE).chmod(0o755)
        self.write("bench/race/main.cpp", "")
        self.write("bpf/hook.c", "1")
        self.write("docs/performance.md", PAGE)
        self.write(".gitignore", "/build/\n")
        self.write("../bin/cmake", "#!/bin/sh\necho \"cmake $*\" >>\"$FAKE/built\"\n").chmod(0o755)
        self.git("init", "-q")
        self.commit = self.commit_all()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def commit_all(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")
        return self.git("rev-parse", "--short=12", "HEAD")

    def start(self, *arguments):
        environment = {**os.environ, "FAKE": str(self.fake), "PATH": f"{self.fake}/bin:{os.environ['PATH']}"}
        return subprocess.Popen([self.root / "scripts/bench-all", *arguments], env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_script(self, *arguments, status=0):
        with self.start(*arguments) as process:
            process.out, process.errors = process.communicate(timeout=50)
        self.assertEqual(process.returncode, status, process.errors)
        return process

    def calls(self):
        """What was measured since the last look."""
        path = self.fake / "calls"
        found = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return found

    def result(self, name):
        path = self.root / "bench/results" / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def test_all_results_and_the_tables_are_made_from_one_commit(self):
        done = self.run_script()
        self.assertEqual(self.calls(), ["quick", "race a swap", "race b swap"])
        self.assertEqual(self.result("quick")["commit"], self.commit)
        self.assertEqual([row["params"]["row"] for row in self.result("race")["rows"]], ["race a swap", "race b swap"])
        self.assertIn("| race b swap | 1 | 1 |", (self.root / "docs/performance.md").read_text(encoding="utf-8"))
        self.assertIn("== 2 of 3: race a swap; 0 h 00 min so far", done.out)
        self.assertEqual((self.fake / "built").read_text(encoding="utf-8"),
                         "cmake --preset release\n"
                         "cmake --build build/release --target bench-quick bench-race evictd\n")

    def test_one_that_fails_stops_no_other_and_replaces_no_result(self):
        (self.fake / "fails").write_text("race a swap", encoding="utf-8")
        done = self.run_script(status=1)
        self.assertEqual(self.calls(), ["quick", "race a swap", "race b swap"])
        self.assertIsNotNone(self.result("quick"))
        self.assertIsNone(self.result("race"))
        self.assertIn("race a swap: exit status 1; what it measured is in build/bench-all/", done.errors)
        self.assertIn("bench-all: not done: race a swap; call it again for the rest", done.errors)

    def test_another_call_makes_only_the_rows_that_are_left(self):
        (self.fake / "fails").write_text("race a swap", encoding="utf-8")
        self.run_script(status=1)
        self.calls()
        (self.fake / "fails").unlink()
        self.run_script()
        self.assertEqual(self.calls(), ["race a swap"])
        self.assertEqual([row["params"]["row"] for row in self.result("race")["rows"]], ["race a swap", "race b swap"])
        self.run_script()
        self.assertEqual(self.calls(), [])

    def test_another_commit_begins_anew(self):
        self.run_script("--only", "quick")
        self.write("bpf/hook.c", "2")
        self.commit_all()
        self.run_script("--only", "quick")
        self.assertEqual(self.calls(), ["quick", "quick"])

    def test_an_interrupted_benchmark_cleans_up_and_is_named(self):
        os.mkfifo(self.fake / "hangs")
        os.mkfifo(self.fake / "started")
        with self.start() as process:
            (self.fake / "started").read_text(encoding="utf-8")
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=50)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(self.calls(), ["quick", "cleaned"])
        self.assertIn("bench-all: interrupted\n", errors)
        self.assertIn("not done: quick, race a swap, race b swap;", errors)

    def test_a_tree_with_changes_is_refused_by_the_names_of_its_files(self):
        self.write("bpf/hook.c", "2")
        self.assertIn(f"differs from {self.commit}: bpf/hook.c", self.run_script(status=1).errors)
        self.assertEqual(self.calls(), [])

    def test_a_tree_with_changes_can_be_measured_and_the_result_says_so(self):
        self.write("bpf/hook.c", "2")
        for _ in range(2):
            self.run_script("--dirty", "--only", "quick")
            self.assertEqual(self.calls(), ["quick"])
        self.assertEqual(self.result("quick")["commit"], f"{self.commit}-dirty")

    def test_a_step_during_which_the_tree_changed_is_not_done(self):
        (self.fake / "moves").touch()
        done = self.run_script(status=1)
        self.assertEqual(self.calls(), ["quick"])
        self.assertIn(f"the tree changed meanwhile, from {self.commit} to {self.commit}-dirty", done.errors)
        self.assertIsNone(self.result("quick"))

    def test_a_dry_run_prints_the_commands_that_are_left(self):
        self.run_script("--only", "quick")
        self.calls()
        kept = f"build/bench-all/{self.commit}/race"
        self.assertEqual(self.run_script("--dry-run").out,
                         "cmake --preset release\n"
                         "cmake --build build/release --target bench-race evictd\n"
                         f"bench/measure {kept}/a-swap.part race a swap\n"
                         f"bench/measure {kept}/b-swap.part race b swap\n"
                         "scripts/bench-report\n")
        self.assertEqual(self.calls(), [])

    def test_the_list_says_what_is_done_and_how_old_it_is(self):
        self.run_script("--only", "race")
        self.assertRegex(self.run_script("--list").out, rf"race +2 of 2 +{self.commit} +0 +60\n")
        self.write("bpf/hook.c", "2")
        self.commit_all()
        self.assertRegex(self.run_script("--list").out,
                         rf"quick +0 of 1 +- +- +1\nrace +0 of 2 +{self.commit} +1 +60\n"
                         r"all of them take about 1 h 01 min\n")

    def test_each_part_of_a_result_has_trials_and_minutes_of_its_own(self):
        self.write("bench/plan.toml", PARTS)
        self.commit_all()
        (self.fake / "fails").write_text("race --trials 20 --rows b swap", encoding="utf-8")
        self.assertIn("the others take about 1 h 10 min", self.run_script(status=1).out)
        self.assertEqual(self.calls(), ["race --trials 20 --rows a swap", "race --trials 20 --rows b swap",
                                        "race --trials 5 --rows c"])
        (self.fake / "fails").unlink()
        self.assertIn("2 of 3 steps were done before, the others take about 0 h 30 min", self.run_script().out)
        self.assertEqual(self.calls(), ["race --trials 20 --rows b swap"])

    def test_a_part_without_the_trials_that_its_command_asks_for_is_refused(self):
        self.write("bench/plan.toml", PARTS.replace("trials = 5\n", ""))
        self.commit_all()
        self.assertIn("lacks the field 'trials'", self.run_script(status=1).errors)
        self.assertEqual(self.calls(), [])

    def test_a_result_that_is_not_planned_is_refused(self):
        self.assertIn("no result bogus in the plan; there are: quick race",
                      self.run_script("--only", "bogus", status=2).errors)


class PlanOfThisTreeTest(unittest.TestCase):
    def test_every_result_is_planned(self):
        there = {path.stem for path in (ROOT / "bench/results").glob("*.json")}
        self.assertLessEqual(there, set(load_plan(ROOT)))

    def test_what_it_measures_and_what_it_runs_exist(self):
        for planned in load_plan(ROOT).values():
            with self.subTest(planned.name):
                for folder in planned.measures:
                    self.assertTrue((ROOT / folder).is_dir(), folder)
                program = planned.run.split()[0]
                self.assertTrue((ROOT / program).exists() or Path(program).name in planned.targets, program)

    def test_each_row_has_a_file_of_its_own(self):
        for planned in load_plan(ROOT).values():
            self.assertEqual(len({row.words for row in planned.rows}), len(planned.rows), planned.name)

    def test_all_of_it_is_made_in_a_night(self):
        self.assertLessEqual(sum(planned.minutes for planned in load_plan(ROOT).values()), 8 * 60)

    def test_every_racer_is_raced_often_enough(self):
        evictd = {"evictd", "evictd-grace", "evictd-bridge", "evictd-poll", "evictd-kubelet-grace"}
        rivals = {"earlyoom", "nohang", "oomd", "systemd-oomd"}
        raced = set()
        for name in ("fork_race", "oom_race", "oom_race_default"):
            for row in load_plan(ROOT)[name].rows:
                racer = row.words.split()[0]
                raced.add(racer)
                self.assertGreaterEqual(row.trials, 20 if racer in evictd else 5, row.words)
        self.assertEqual(raced, evictd | rivals)

    def test_the_default_configuration_races_every_kind_of_hog(self):
        raced = {tuple(row.words.split()[1:4]) for row in load_plan(ROOT)["oom_race"].rows
                 if row.words.split()[0] == "evictd-kubelet-grace"}
        self.assertEqual(raced, set(itertools.product(("noswap", "zram"), ("4k", "thp"),
                                                      ("100MiB/s", "300MiB/s", "full"))))


if __name__ == "__main__":
    unittest.main()
