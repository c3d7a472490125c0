# SPDX-License-Identifier: Apache-2.0
"""scripts/bench-report run on a page and results of the test's own."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/bench-report"
PLAN = """
measures = ["bpf"]
[results.crossing]
run = "true"
targets = []
measures = ["userspace/probe"]
minutes = 1
"""


def row(**changes):
    made = {"name": "wake", "params": {"pages": "4k"}, "unit": "us", "n": 3, "p50": 2, "p99": 3, "max": 3,
            "samples": [1, 2, 3]}
    return {**made, **changes}


class BenchReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.page = self.folder / "page.md"

    def run_on(self, page, rows, *arguments):
        self.page.write_text(page, encoding="utf-8")
        results = {"bench": "crossing", "machine": {"cpu": "a CPU", "cores": 2}, "date": "2026-01-01", "commit": "abc",
                   "rows": rows}
        (self.folder / "crossing.json").write_text(json.dumps(results), encoding="utf-8")
        command = [sys.executable, "-B", str(SCRIPT), "--page", str(self.page), "--results", str(self.folder)]
        return subprocess.run(command + list(arguments), capture_output=True, text=True, check=False)

    def test_writes_a_table_between_its_markers_and_leaves_the_rest_alone(self):
        page = "before\n<!-- bench-report crossing wake -->\nold\n<!-- /bench-report -->\nafter\n"
        run = self.run_on(page, [row(), row(params={"pages": "thp"}, p99=3, max=3)])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(
            self.page.read_text(encoding="utf-8"),
            "before\n<!-- bench-report crossing wake -->\n"
            "| pages | n | p50 (us) | p99 (us) | max (us) |\n|---|---|---|---|---|\n"
            "| 4k | 3 | 2 | 3 | 3 |\n| thp | 3 | 2 | 3 | 3 |\n"
            "<!-- /bench-report -->\nafter\n",
        )

    def test_notes_of_rows_follow_those_of_the_run(self):
        page = "<!-- bench-report crossing notes -->\n<!-- /bench-report -->\n"
        self.assertEqual(self.run_on(page, [row(), row(notes=["4k: two void trials"])]).returncode, 0)
        self.assertIn("-->\n* 4k: two void trials\n<!--", self.page.read_text(encoding="utf-8"))

    def test_check_accepts_what_it_wrote_itself(self):
        page = "<!-- bench-report crossing machine -->\n<!-- /bench-report -->\n"
        self.assertEqual(self.run_on(page, [row()]).returncode, 0)
        written = self.page.read_text(encoding="utf-8")
        self.assertEqual(self.run_on(written, [row()], "--check-tables").returncode, 0)
        self.assertIn("cpu a CPU, cores 2", written)

    def test_check_finds_a_figure_that_was_changed_by_hand_and_writes_nothing(self):
        page = "<!-- bench-report crossing wake -->\n| 1 |\n<!-- /bench-report -->\n"
        run = self.run_on(page, [row()], "--check-tables")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(self.page.read_text(encoding="utf-8"), page)

    def test_counts_become_columns_and_nothing_measured_has_no_percentiles(self):
        page = "<!-- bench-report crossing wake -->\n<!-- /bench-report -->\n"
        run = self.run_on(page, [row(n=0, p50=0, p99=0, max=0, samples=[], counts=[["won", 2], ["OOM kills", 0]])])
        self.assertEqual(run.returncode, 0, run.stderr)
        written = self.page.read_text(encoding="utf-8")
        self.assertIn("| won | OOM kills | n | p50 (us) | p99 (us) | max (us) |", written)
        self.assertIn("| 2 | 0 | 0 |  |  |  |", written)

    def test_a_picture_has_a_dot_for_every_sample_and_is_checked(self):
        page = "<!-- bench-report crossing picture wake -->\n<!-- /bench-report -->\n"
        rows = [row(), row(params={"pages": "thp"})]
        self.assertEqual(self.run_on(page, rows).returncode, 0)
        written = self.page.read_text(encoding="utf-8")
        self.assertIn("(pictures/crossing-wake.svg)", written)
        picture = self.folder / "pictures/crossing-wake.svg"
        self.assertEqual(picture.read_text(encoding="utf-8").count("<circle"), 6)
        self.assertEqual(self.run_on(written, rows, "--check-tables").returncode, 0)
        picture.write_text(picture.read_text(encoding="utf-8").replace("thp", "4k"), encoding="utf-8")
        changed = self.run_on(written, rows, "--check-tables")
        self.assertEqual(changed.returncode, 1)
        self.assertIn("crossing-wake.svg: is not what the results say", changed.stderr)

    def test_a_picture_that_nobody_asks_for_any_more_goes(self):
        page = "<!-- bench-report crossing picture wake -->\n<!-- /bench-report -->\n"
        self.assertEqual(self.run_on(page, [row()]).returncode, 0)
        self.assertEqual(self.run_on("plain\n", [row()], "--check-tables").returncode, 1)
        self.assertEqual(self.run_on("plain\n", [row()]).returncode, 0)
        self.assertEqual(list((self.folder / "pictures").glob("*.svg")), [])

    def test_a_percentile_that_is_not_that_of_the_samples_is_refused(self):
        run = self.run_on("", [row(p50=1)], "--check-tables")
        self.assertEqual(run.returncode, 1)
        self.assertIn("p50 is 1, the samples say 2", run.stderr)

    def test_a_condition_selects_rows_and_one_that_fits_none_is_an_error(self):
        rows = [row(), row(params={"pages": "thp"})]
        page = "<!-- bench-report crossing wake pages={} -->\n<!-- /bench-report -->\n"
        self.assertEqual(self.run_on(page.format("thp"), rows).returncode, 0)
        self.assertIn("pages: thp\n", self.page.read_text(encoding="utf-8"))
        self.assertEqual(self.run_on(page.format("2m"), rows).returncode, 1)

    def test_what_each_contestant_won_is_a_line_per_scene_with_a_blank_where_it_was_not_raced(self):
        def raced(racer, swap, **changes):
            return row(params={"racer": racer, "pages": "4k", "swap": swap}, **changes)
        rows = [raced("evictd", "none", counts=[["trials", 20], ["won", 19]]),
                raced("evictd", "zram", counts=[["trials", 20], ["won", 20]]),
                raced("oomd", "none", counts=[["trials", 5], ["won", 0]]),
                raced("absent", "none", n=0, samples=[])]
        page = "<!-- bench-report crossing won=racer wake -->\n<!-- /bench-report -->\n"
        run = self.run_on(page, rows)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("pages: 4k\n\n| swap | evictd | oomd | absent |\n|---|---|---|---|\n"
                      "| none | 19 of 20 | 0 of 5 | not run |\n| zram | 20 of 20 |  |  |\n",
                      self.page.read_text(encoding="utf-8"))

    def test_a_bench_without_results_has_no_run_on_the_page_and_is_no_error(self):
        page = ("<!-- bench-report scale machine -->\nold\n<!-- /bench-report -->\n"
                "<!-- bench-report scale start_to_ready -->\n| 1 |\n<!-- /bench-report -->\n"
                "<!-- bench-report disk picture crossing_to_dead -->\n<!-- /bench-report -->\n")
        self.assertEqual(self.run_on(page, [row()], "--check-tables").returncode, 1)
        self.assertEqual(self.run_on(page, [row()]).returncode, 0)
        written = self.page.read_text(encoding="utf-8")
        self.assertEqual(written.count("No run of it is on this page yet.\n"), 1)
        self.assertNotIn("| 1 |", written)
        self.assertEqual(self.run_on(written, [row()], "--check-tables").returncode, 0)

    def test_a_section_of_notifications_is_empty_until_there_is_a_run(self):
        page = ("<!-- bench-report notify machine -->\n<!-- /bench-report -->\n"
                "<!-- bench-report notify crossing_to_awake form=service -->\n| 1 |\n<!-- /bench-report -->\n")
        self.assertEqual(self.run_on(page, [row()]).returncode, 0)
        written = self.page.read_text(encoding="utf-8")
        self.assertEqual(written.count("No run of it is on this page yet.\n"), 1)
        self.assertNotIn("| 1 |", written)

    def test_who_notifies_is_a_column_beside_what_the_rows_differ_in(self):
        both = [row(params={"form": "service", "notifier": who, "registrations": count})
                for who in ("evictd", "kernel") for count in (1, 1000)]
        self.assertEqual(
            self.run_on("<!-- bench-report crossing wake form=service -->\n<!-- /bench-report -->\n", both).returncode, 0)
        written = self.page.read_text(encoding="utf-8")
        self.assertIn("form: service\n\n| notifier | registrations | n |", written)
        self.assertIn("| kernel | 1000 | 3 |", written)

    def test_a_results_file_that_no_bench_makes_is_an_error(self):
        run = self.run_on("<!-- bench-report scales machine -->\n<!-- /bench-report -->\n", [row()])
        self.assertEqual(run.returncode, 1)
        self.assertIn("there is no bench/results/scales.json", run.stderr)

    def test_a_picture_of_rows_by_pods_has_a_line_for_each_number_of_them(self):
        page = "<!-- bench-report crossing picture start_to_ready -->\n<!-- /bench-report -->\n"
        rows = [row(name="start_to_ready", params={"pods": pods}, unit="ms") for pods in (110, 1000)]
        self.assertEqual(self.run_on(page, rows).returncode, 0)
        picture = (self.folder / "pictures/crossing-start_to_ready.svg").read_text(encoding="utf-8")
        self.assertIn(">110</text>", picture)
        self.assertIn(">1000</text>", picture)

    def test_a_marker_that_is_not_closed_is_an_error(self):
        run = self.run_on("<!-- bench-report crossing wake -->\n", [row()])
        self.assertEqual(run.returncode, 1)
        self.assertIn("not closed", run.stderr)


class AgeTest(unittest.TestCase):
    """A tree of the test's own, with its own history and plan."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("bench-report", "lib/bench_picture.py", "lib/bench_plan.py"):
            target = self.root / "scripts" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SCRIPT.parent / name, target)
        for name, text in (("bench/plan.toml", PLAN), ("docs/performance.md", "")):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        (self.root / "bench/results").mkdir()

    def make_history(self, *files):
        """A commit for each of the files, which it changes. Returns the first."""
        commits = "".join(f"commit refs/heads/main\ncommitter a <a@b> {number} +0000\ndata 0\n"
                          f"M 100644 inline {file}\ndata {len(str(number))}\n{number}\n"
                          for number, file in enumerate(files, 1))
        self.git("init", "-q", "-b", "main")
        self.git("fast-import", "--quiet", text=commits)
        return self.git("rev-list", "--max-parents=0", "--abbrev-commit", "HEAD")

    def git(self, *arguments, text=""):
        return subprocess.run(["git", "-C", self.root, *arguments], input=text, stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()

    def check(self, commit, argument="--check", name="crossing"):
        results = {"bench": name, "machine": {}, "date": "", "commit": commit, "rows": []}
        (self.root / f"bench/results/{name}.json").write_text(json.dumps(results), encoding="utf-8")
        return subprocess.run([self.root / "scripts/bench-report", argument], capture_output=True, text=True, check=False)

    def test_fifty_commits_to_what_it_measures_are_not_too_many(self):
        commit = self.make_history("bpf/a.c", *["bpf/a.c", "userspace/probe/a.cpp"] * 25, *["docs/a.md"] * 9)
        self.assertEqual(self.check(commit).returncode, 0)

    def test_a_result_that_is_older_is_named_with_its_remedy(self):
        commit = self.make_history("bpf/a.c", *["bpf/a.c"] * 26, *["userspace/probe/a.cpp"] * 25)
        done = self.check(commit)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"crossing.json: was measured at {commit}, 51 commits", done.stderr)
        self.assertIn("scripts/bench-all --only crossing\n", done.stderr)
        self.assertEqual(self.check(commit, "--check-tables").returncode, 0)

    def test_a_commit_that_is_not_in_the_history_is_reported(self):
        self.make_history("bpf/a.c")
        done = self.check("c0ffee")
        self.assertEqual(done.returncode, 1)
        self.assertIn("measured at c0ffee, which is not in this history", done.stderr)

    def test_results_of_a_tree_with_changes_are_reported(self):
        self.assertEqual(self.check(f"{self.make_history('bpf/a.c')}-dirty").returncode, 1)

    def test_a_result_that_is_not_planned_is_reported(self):
        done = self.check(self.make_history("bpf/a.c"), name="scale")
        self.assertEqual(done.returncode, 1)
        self.assertIn("scale.json: has no entry in bench/plan.toml", done.stderr)

    def test_a_tree_without_history_has_a_notice_instead(self):
        done = self.check("c0ffee")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("the age of the results is not checked", done.stdout)


if __name__ == "__main__":
    unittest.main()
