# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/change_plan.py on trees of the test's own: what a change touches, and which tests are its."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/lib/change_plan.py"

# Source -> (target, folder that makes it, text).
SOURCES = {
    "userspace/eviction/rank.cpp": ("evictd_eviction", "userspace/eviction", '#include "eviction/rank.h"\n'),
    "userspace/cli/main.cpp": ("evictctl", "userspace/cli", ""),
    "userspace/daemon/daemon.cpp": ("evictd_daemon", "userspace/daemon", '#include "eviction/pod.h"\n'),
    "tests/unit/eviction/rank_test.cpp": ("eviction_test", "tests/unit/eviction", '#include "support/tree.h"\n'),
    "tests/unit/daemon/hot_test.cpp": ("daemon_test", "tests/unit/daemon", ""),
    "tests/integration/daemon/arena.cpp": ("daemon_integration_test", "tests/integration/daemon", '#include "arena.h"\n'),
    "tests/integration/daemon/look_test.cpp": ("pod_registry_test", "tests/integration/daemon", ""),
    "tests/bpf/rows_test.cpp": ("bpf_family_test", "tests/bpf", ""),
    "bench/idle/rest.cpp": ("evictd_bench_idle", "bench", '#include "idle/rest.h"\n'),
    "tests/integration/bench/rest_test.cpp": ("bench_rest_test", "tests/integration/bench", '#include "idle/rest.h"\n'),
}
HEADERS = ("userspace/eviction/rank.h", "userspace/eviction/pod.h", "tests/support/tree.h",
           "tests/integration/daemon/arena.h", "bench/idle/rest.h")


class ChangeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.git("init", "--quiet", "--initial-branch", "main")
        for source, (_, _, text) in SOURCES.items():
            self.write(source, text)
        for header in HEADERS:
            self.write(header, "#pragma once\n")
        entries = [{"directory": "/", "file": str(self.root / source),
                    "command": f"c++ -o {folder}/CMakeFiles/{target}.dir/{Path(source).name}.o -c {source}"}
                   for source, (target, folder, _) in SOURCES.items()]
        self.database = self.root / ".git/compile_commands.json"
        self.database.write_text(json.dumps(entries), encoding="utf-8")
        self.commit("everything")

    def git(self, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def run_script(self, kind, *arguments):
        command = [sys.executable, "-B", str(SCRIPT), kind, "--root", str(self.root), "--compile-commands",
                   str(self.database), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=50)

    def plan(self, *arguments):
        """Kind -> what the plan has of it."""
        done = self.run_script("plan", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = {}
        for line in done.stdout.splitlines():
            kind, what = line.split(" ", 1)
            plan.setdefault(kind, []).append(what)
        return plan

    def plan_of(self, *changed):
        for name in changed:
            path = self.root / name
            self.write(name, (path.read_text(encoding="utf-8") if path.exists() else "") + "// changed\n")
        return self.plan()

    def sources(self, *arguments):
        done = self.run_script("sources", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    # What differs.

    def test_where_nothing_differs_there_is_no_plan(self):
        self.assertEqual(self.plan(), {})

    def test_what_is_not_committed_or_not_known_to_git_counts(self):
        self.write("userspace/eviction/rank.cpp", "// changed\n")
        self.git("add", "--all")
        self.write("userspace/cli/main.cpp", "// changed\n")
        self.write("userspace/cli/new.cpp", "")
        files = ["userspace/cli/main.cpp", "userspace/cli/new.cpp", "userspace/eviction/rank.cpp"]
        self.assertEqual(self.plan()["file"], files)

    def test_what_was_committed_since_the_branch_left_origin_counts(self):
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        base = self.git("rev-parse", "HEAD")
        self.write("userspace/cli/main.cpp", "// changed\n")
        self.commit("change")
        plan = self.plan()
        self.assertEqual((plan["base"], plan["file"]), ([base], ["userspace/cli/main.cpp"]))

    def test_another_commit_can_be_named(self):
        self.write("userspace/cli/main.cpp", "// changed\n")
        self.commit("change")
        self.assertEqual(self.plan(), {})
        self.assertEqual(self.plan("--since", "HEAD~1")["file"], ["userspace/cli/main.cpp"])

    def test_a_commit_that_is_not_there_is_refused(self):
        done = self.run_script("plan", "--since", "nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nowhere", done.stderr)

    def test_a_removed_file_is_not_formatted_and_its_folder_is_tested(self):
        (self.root / "userspace/eviction/pod.h").unlink()
        plan = self.plan()
        self.assertNotIn("format", plan)
        self.assertIn("eviction_test", plan["target"])

    # What it touches.

    def test_a_folder_of_userspace_is_built_and_tested_by_those_of_its_name(self):
        plan = self.plan_of("userspace/daemon/daemon.cpp")
        self.assertEqual(plan["target"], ["daemon_integration_test", "daemon_test", "evictd_daemon", "pod_registry_test"])
        self.assertEqual((plan["format"], plan["tidy"]), (["userspace/daemon/daemon.cpp"],) * 2)

    def test_of_a_folder_of_tests_what_the_file_is_part_of_is_built(self):
        self.assertEqual(self.plan_of("tests/integration/daemon/look_test.cpp")["target"], ["pod_registry_test"])

    def test_a_header_of_tests_is_part_of_what_includes_it(self):
        self.assertEqual(self.plan_of("tests/integration/daemon/arena.h")["target"], ["daemon_integration_test"])

    def test_a_folder_of_tests_whose_list_changed_is_built_whole(self):
        plan = self.plan_of("tests/integration/daemon/CMakeLists.txt")
        self.assertEqual(plan["target"], ["daemon_integration_test", "pod_registry_test"])

    def test_kernel_programs_are_tested_by_their_own_and_the_machine_is_named(self):
        plan = self.plan_of("bpf/memcg.bpf.c")
        self.assertEqual(plan["target"], ["bpf_family_test", "verifier_stats"])
        self.assertEqual(plan["test"], [r"^bpf\."])
        self.assertIn("scripts/test -L '^vm$'", plan["note"][0])
        self.assertNotIn("tidy", plan)

    def test_a_bench_is_tested_by_what_includes_it(self):
        self.assertEqual(self.plan_of("bench/idle/rest.cpp")["target"], ["bench_rest_test", "evictd_bench_idle"])

    def test_scripts_are_tested_without_a_program(self):
        plan = self.plan_of("scripts/test")
        self.assertEqual(plan["test"], [r"^Tooling\.(?!.*command)"])
        self.assertNotIn("target", plan)

    def test_a_test_of_a_script_is_run_and_what_it_runs_is_built(self):
        plan = self.plan_of("tests/tooling/command_line_test.py")
        self.assertEqual((plan["test"], plan["target"]), ([r"^Tooling\.command_line$"], ["evictctl"]))

    def test_what_is_about_every_target_is_told(self):
        self.assertIn("scripts/build-presets", self.plan_of("CMakePresets.json")["note"][0])

    # What clang-tidy reads.

    def test_for_a_header_the_source_of_its_name_is_read_else_one_that_includes_it(self):
        self.assertEqual(self.plan_of("userspace/eviction/rank.h")["tidy"], ["userspace/eviction/rank.cpp"])
        self.assertEqual(self.plan_of("userspace/eviction/pod.h")["tidy"],
                         ["userspace/daemon/daemon.cpp", "userspace/eviction/rank.cpp"])

    def test_sources_of_the_last_commits_are_those_that_they_touched(self):
        self.write("userspace/cli/main.cpp", "int changed;\n")
        self.commit("one")
        self.write("tests/bpf/rows_test.cpp", "int changed;\n")
        self.commit("two")
        self.assertEqual(self.sources("--last", "1"), ["tests/bpf/rows_test.cpp"])
        self.assertEqual(self.sources("--last", "2"), ["tests/bpf/rows_test.cpp", "userspace/cli/main.cpp"])
        self.assertEqual(self.sources("--last", "50"), sorted(SOURCES))

    def test_a_shallow_clone_counts_the_commits_whose_parent_it_has(self):
        for name in ("userspace/cli/main.cpp", "tests/bpf/rows_test.cpp"):
            self.write(name, "int changed;\n")
            self.commit(name)
        (self.root / ".git/shallow").write_text(self.git("rev-parse", "HEAD~1") + "\n", encoding="ascii")
        self.assertEqual(self.sources("--last", "50"), ["tests/bpf/rows_test.cpp"])
        (self.root / ".git/shallow").write_text(self.git("rev-parse", "HEAD") + "\n", encoding="ascii")
        self.assertEqual(self.sources("--last", "50"), sorted(SOURCES), "it does not tell what was touched")

    def test_a_source_of_which_only_comments_changed_is_not_read(self):
        self.write("userspace/cli/main.cpp", 'const char* text = "//";  // before\n')
        self.write("tests/bpf/rows_test.cpp", "int rows;  /* before */\n")
        self.commit("code")
        self.write("userspace/cli/main.cpp", '/// What it says.\nconst char* text = "//";\n')
        self.write("tests/bpf/rows_test.cpp", "int rows;  // NOLINT(check)\n")
        self.commit("comments")
        self.assertEqual(self.sources("--last", "1"), ["tests/bpf/rows_test.cpp"])
        self.write("userspace/cli/main.cpp", 'const char* text = "///";\n')
        self.assertEqual(self.sources("--last", "1"), ["tests/bpf/rows_test.cpp", "userspace/cli/main.cpp"])

    # Which tests.

    def select(self, tests, *arguments):
        done = subprocess.run([sys.executable, "-B", str(SCRIPT), "select", *arguments], text=True, check=True,
                              input=json.dumps({"tests": tests}), stdout=subprocess.PIPE)
        return done.stdout.strip()

    def test_tests_are_those_of_a_program_or_of_a_name_and_never_in_the_machine(self):
        self.write("tests/rank_test", "")
        program = str(self.root / "tests/rank_test")
        missing = str(self.root / "tests/other_test")
        labels = [{"name": "LABELS", "value": ["vm-nightly"]}]
        tests = [{"name": "Pod.IsRead", "command": [missing]}, {"name": "Rank.IsTotal", "command": [program, "--x"]},
                 {"name": "vm.Rank.IsTotal", "command": ["/scripts/vm", program], "properties": labels},
                 {"name": "bpf.verifier_budget", "command": ["/x"]}, {"name": "other_test_NOT_BUILT"}]
        self.assertEqual(self.select(tests, "--program", "rank_test", "other_test"), "0,0,0,2")
        self.assertEqual(self.select(tests, "--program", "rank_test", "--test", r"^bpf\."), "0,0,0,2,4")
        self.assertEqual(self.select(tests, "--program", "nothing"), "")


if __name__ == "__main__":
    unittest.main()
