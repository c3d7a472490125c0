#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command lines of scripts/: help is given and wrong usage refused before anything is installed or built."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# What installs, builds or writes. In their place stands a program that leaves its name behind and fails.
WORKERS = ("apt-get", "bpftool", "cmake", "dpkg-query", "qemu-system-x86_64")


class ScriptArgumentsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in WORKERS:
            stub = Path(self.folder.name, name)
            stub.write_text(f"#!/bin/sh\necho {name} >>'{self.folder.name}/called'\nexit 97\n", encoding="utf-8")
            stub.chmod(0o755)

    def run_script(self, name, *arguments):
        path = f"{self.folder.name}:{os.environ['PATH']}"
        done = subprocess.run([SCRIPTS / name, *arguments], env={**os.environ, "PATH": path}, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=50)
        called = Path(self.folder.name, "called")
        self.assertFalse(called.exists(), called.exists() and called.read_text(encoding="utf-8"))
        return done

    def expect_refused(self, words, name, *arguments):
        done = self.run_script(name, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(words, done.stderr)

    def test_every_script_has_help(self):
        names = sorted(path.name for path in SCRIPTS.iterdir() if path.is_file())
        self.assertIn("setup", names)
        for name in names:
            with self.subTest(name):
                done = self.run_script(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith(f"usage: scripts/{name}"), done.stdout)

    def test_help_of_vmlinux_says_all_of_its_usage(self):
        text = self.run_script("vmlinux", "--help").stdout
        for words in ("x86_64 [BTF]", "/sys/kernel/btf/vmlinux", "arm64", "never installed"):
            self.assertIn(words, text)

    def test_an_unknown_argument_is_refused(self):
        for name in ("build-presets", "check-changed", "format", "fuzz", "lint", "setup", "soak", "tidy", "vmlinux"):
            with self.subTest(name):
                self.expect_refused("unknown argument: --bogus", name, "--bogus")

    def test_vmlinux_takes_no_more_than_it_uses(self):
        self.expect_refused("an architecture is missing", "vmlinux")
        self.expect_refused("unknown argument: more", "vmlinux", "arm64", "more")
        self.expect_refused("unknown argument: more", "vmlinux", "x86_64", "/a", "more")

    def test_a_number_is_judged_before_anything_is_built(self):
        for name, option in (("fuzz", "--seconds"), ("fuzz", "--at-once"), ("soak", "--seconds"),
                             ("soak", "--seed"), ("test", "--repeat"), ("tidy", "--last")):
            for value in ("x", "-1", "0", "", "1.5", "08", "1s", "9999999999"):
                with self.subTest(f"{name} {option} {value}"):
                    self.expect_refused(f'{option} needs a whole number from 1 to 999999999, not "{value}"',
                                        name, option, value)

    def test_an_option_without_its_value_is_refused(self):
        for name in ("fuzz", "soak"):
            self.expect_refused("--seconds needs a value", name, "--seconds")
        for name, option in (("check-changed", "--since"), ("test", "--repeat"), ("test", "-L"), ("tidy", "--last")):
            self.expect_refused(f"{option} needs a value", name, option)

    def test_tidy_takes_one_way_to_name_a_change(self):
        self.expect_refused("--last goes without --since", "tidy", "--since", "HEAD", "--last", "3")

    def test_a_seed_or_the_machine_is_refused_where_there_is_no_churn(self):
        for arguments in (("--vm",), ("--seed", "1"), ("--seconds", "5", "--seed", "1", "--vm")):
            self.expect_refused("--seed and --vm go with --churn", "soak", *arguments)

    def test_rows_across_commits_are_refused_where_none_are_added(self):
        self.expect_refused("--across-commits goes with --add", "bench-in-vm", "oom_race", "--across-commits")

    def test_a_kernel_that_no_machine_has_is_refused(self):
        self.expect_refused("invalid choice: '4.19'", "vm", "matrix", "--kernel", "4.19")

    def test_a_pattern_that_fits_no_fuzz_target_is_refused_before_anything_is_built(self):
        self.expect_refused("no fuzz target matches nothing-of-this-name", "fuzz", "--target", "nothing-of-this-name")


if __name__ == "__main__":
    unittest.main()
