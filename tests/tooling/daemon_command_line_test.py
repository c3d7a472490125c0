# SPDX-License-Identifier: Apache-2.0
"""evictd's command line, as far as it can be judged without starting anything.

usage: daemon_command_line_test.py EVICTD
"""
import os
import subprocess
import sys
import tempfile
import unittest

EVICTD = sys.argv[1]


def run(*arguments, stdout=subprocess.PIPE):
    return subprocess.run([EVICTD, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


class DaemonCommandLineTest(unittest.TestCase):
    def test_the_defaults_are_valid(self):
        result = run("--check")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("memory.available", result.stdout)

    def test_a_mistyped_option_is_named_with_the_nearest_one(self):
        for given, nearest in (
            ("--eviction-hrd=x", "--eviction-hard"),
            ("--konfig", "--config"),
            ("--rekord=x", "--record"),
        ):
            result = run("--check", given)
            self.assertEqual((result.returncode, result.stdout), (2, ""), given)
            name = given.split("=", maxsplit=1)[0]
            self.assertEqual(result.stderr, f"evictd: {name}: unknown option of evictd, the nearest is {nearest}\n")

    def test_a_flag_with_a_value_is_wrong_usage(self):
        result = run("--check=false")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, 'evictd: --check: "false": not allowed; allowed: --check without a value\n')

    def test_check_judges_the_options_of_a_recording(self):
        for option, value, allowed in (
            ("--record-max-bytes", "1", "a quantity from 1Mi to 1Ti"),
            ("--record-max-bytes", "much", "a quantity from 1Mi to 1Ti"),
            ("--record-max-time", "1ms", "a duration from 1s to 8760h"),
            ("--record-max-time", "5", "a duration from 1s to 8760h"),
        ):
            result = run("--check", "--record", "/nowhere/recording", option, value)
            self.assertEqual((result.returncode, result.stdout), (2, ""), (option, value))
            self.assertEqual(result.stderr, f"evictd: {option}: {value}: not allowed; allowed: {allowed}\n")

    def test_an_option_of_a_recording_needs_a_value(self):
        for arguments in (
            ["--record", ""],
            ["--record", "/nowhere/recording", "--record-max-bytes", ""],
            ["--record", "/nowhere/recording", "--record-max-time", ""],
        ):
            result = run("--check", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(f'{arguments[-2]}: "": not allowed; allowed: ', result.stderr)

    def test_a_recording_has_a_file_of_its_own(self):
        with tempfile.TemporaryDirectory() as directory:
            config = os.path.join(directory, "evictd.yaml")
            records = os.path.join(directory, "records")
            with open(config, "w", encoding="utf-8") as text:
                text.write(f"recordFile: {records}\n")
            for path, key in ((records, "recordFile"), (config, "--config")):
                result = run("--check", "--config", config, "--record", path)
                self.assertEqual((result.returncode, result.stdout), (1, ""), path)
                self.assertEqual(
                    result.stderr,
                    f'evictd: --record: "{path}": the file of {key} is there; '
                    "allowed: a path that no other file of evictd has\n",
                )
            result = run("--check", "--config", config, "--record", os.path.join(directory, "recording"))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_recording_needs_a_regular_file(self):
        with tempfile.TemporaryDirectory() as directory:
            fifo = os.path.join(directory, "fifo")
            os.mkfifo(fifo)
            for path in (fifo, directory, "/dev/full"):
                result = run("--check", "--record", path)
                self.assertEqual((result.returncode, result.stdout), (1, ""), path)
                self.assertEqual(
                    result.stderr,
                    f'evictd: --record: "{path}": not a regular file; '
                    "allowed: a path where a regular file is, or nothing yet\n",
                )

    def test_no_argument_moves_the_cursor_of_a_terminal(self):
        hostile = "/nowhere/a\x1b[2J\u009b2J\nx"
        for arguments in (
            [hostile],
            ["--" + hostile],
            ["--config", hostile],
            ["--kubelet-config", hostile],
            ["--record", "/nowhere/recording", "--record-max-bytes", hostile],
        ):
            result = run("--check", *arguments)
            self.assertNotEqual(result.returncode, 0, arguments)
            self.assertIn("a\\x1b[2J\\xc2\\x9b2J\\x0ax", result.stderr, arguments)
            self.assertTrue(all(c == "\n" or c.isprintable() for c in result.stderr), arguments)

    def test_where_a_value_came_from_is_one_line_whatever_its_file_is_called(self):
        with tempfile.TemporaryDirectory() as directory:
            config = os.path.join(directory, "a\x1b[2J\nb.yaml")
            with open(config, "w", encoding="utf-8") as text:
                text.write("dryRun: true\n")
            result = run("--check", "--config", config)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("a\\x1b[2J\\x0ab.yaml:1", result.stdout)
            self.assertNotIn("\x1b", result.stdout)

    def test_a_lost_stdout_is_a_failure(self):
        for argument in ("--check", "--help", "--version"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = run(argument, stdout=full)
            self.assertEqual(result.returncode, 1, argument)
            self.assertIn("evictd: write standard output: ", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
