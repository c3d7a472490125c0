# SPDX-License-Identifier: Apache-2.0
"""evictctl's command line: what is wrong with it exits with 2, and is said before anything is done.

usage: command_line_test.py EVICTCTL
"""
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

EVICTCTL = sys.argv[1]
POD = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
"spec": {"containers": [{"name": "c"}]}}"""


def run(*arguments):
    return subprocess.run([EVICTCTL, *arguments], capture_output=True, text=True, check=False)


class CommandLineTest(unittest.TestCase):
    def refused(self, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
        return result.stderr

    def test_a_since_that_is_no_time_is_wrong_usage(self):
        for source in (["--file", "/nowhere"], ["--follow"], []):
            error = self.refused("events", "--since", "yesterday", *source)
            self.assertIn('--since: "yesterday" is not a time; allowed: ', error)

    def test_a_since_or_at_that_is_negative_is_wrong_usage(self):
        for arguments in (["events", "--since", "-5m"], ["explain", "--at", "-5m"]):
            error = self.refused(*arguments, "--file", "/nowhere")
            self.assertIn(f'{arguments[1]}: "-5m" is negative; allowed: ', error)

    def test_the_longest_since_is_none(self):
        result = run("events", "--since", "2562047h47m16.854775807s", "--file", "/dev/null/nowhere")
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("--since", result.stderr)

    def test_what_evictd_refuses_to_a_follower_is_the_error(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            path = str(pathlib.Path(folder, "control.sock"))
            server.bind(path)
            server.listen()
            with subprocess.Popen(
                [EVICTCTL, "events", "--follow", "--socket", path],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as follower:
                connection, _ = server.accept()
                with connection, connection.makefile() as request:
                    request.readline()
                    connection.sendall(b'{"error":"at most 8 may follow"}\n')
                output, error = follower.communicate()
            self.assertEqual((follower.returncode, output), (1, ""))
            self.assertEqual(error, "evictctl: evictd: at most 8 may follow\n")

    def test_an_at_that_is_no_time_is_wrong_usage(self):
        error = self.refused("explain", "--at", "noon", "--file", "/nowhere")
        self.assertIn('--at: "noon" is not a time; allowed: ', error)

    def test_an_interval_that_is_not_allowed_is_wrong_usage(self):
        for interval in ("5", "1ms", "2h", "-10s"):
            error = self.refused("replay", "/nowhere", "--interval", interval)
            self.assertIn("--interval: ", error)

    def test_a_number_of_the_demonstration_out_of_range_is_wrong_usage(self):
        for option, values, allowed in (
            ("--poll-interval", ("10", "9ms", "2h", "-10s"), "a duration from 10ms to 1h"),
            ("--grace", ("61", "-1", "1.5", "many"), "a whole number of seconds from 0 to 60"),
        ):
            for value in values:
                error = self.refused("demo", f"{option}={value}")
                self.assertIn(f'{option}: "{value}": not allowed; allowed: {allowed}', error)

    def test_a_number_of_the_demonstration_that_is_missing_is_wrong_usage(self):
        for option in ("--poll-interval", "--grace"):
            self.assertIn(f"{option}: 1 required", self.refused("demo", f"{option}="))

    def test_follow_and_file_exclude_each_other(self):
        error = self.refused("events", "--follow", "--file", "/nowhere")
        self.assertIn("--follow", error)
        self.assertIn("--file", error)

    def test_a_node_of_no_size_is_wrong_usage(self):
        for option in ("--memory-capacity", "--storage-capacity", "--pod-rate"):
            for amount in ("0", "-1Gi", "much"):
                error = self.refused("check-config", "--config", "/nowhere", f"{option}={amount}")
                self.assertIn(f'{option}: "{amount}": not a quantity; allowed: ', error)

    def test_a_pause_of_no_time_or_of_no_signal_is_wrong_usage(self):
        for length in ("BAD", "10", "0s", "-1s", "25h"):
            error = self.refused("pause", f"--for={length}")
            self.assertIn(f'--for: "{length}": no time to pause; allowed: ', error)
        for command in (("pause", "--for", "1h"), ("resume",)):
            error = self.refused(*command, "--signal", "memory")
            self.assertIn('--signal: "memory": unknown; allowed: ', error)

    def test_a_mistyped_subcommand_is_named_with_the_nearest_one(self):
        for given, nearest in (("statuz", "status"), ("check-konfig", "check-config"), ("Explain", "explain")):
            error = self.refused(given, "--json")
            self.assertIn(f'evictctl: "{given}": unknown subcommand, the nearest is {nearest}; allowed: status, ', error)
        self.assertIn("A subcommand is required", self.refused())

    def test_a_mistyped_option_is_named_with_the_nearest_one(self):
        for given in ("--sockat", "--sockat=/nowhere"):
            error = self.refused("status", given)
            self.assertEqual(error, "evictctl: --sockat: unknown option of status, the nearest is --socket\n")
        for command, given, nearest in (
            ("events", "--sinze=5m", "--since"),
            ("admit", "--condishuns=x", "--conditions"),
            ("check-config", "--eviction-hrd=a", "--eviction-hard"),
            ("check-config", "--jsn", "--json"),
        ):
            name = given.split("=", maxsplit=1)[0]
            expected = f"evictctl: {name}: unknown option of {command}, the nearest is {nearest}\n"
            self.assertEqual(self.refused(command, given), expected)
        expected = "evictctl: --varsion: unknown option of evictctl, the nearest is --version\n"
        self.assertEqual(self.refused("--varsion"), expected)

    def test_a_flag_with_a_value_is_wrong_usage(self):
        for command, flag in (("demo", "--json"), ("events", "--follow"), ("check-config", "--quiet")):
            expected = f'evictctl: {flag}: "3": not allowed; allowed: {flag} without a value\n'
            self.assertEqual(self.refused(command, f"{flag}=3"), expected)

    def test_rules_that_are_not_known_are_wrong_usage(self):
        for given, shown in (("1.27", "1.27"), ("0", "0"), ("1", "1"), ("\x01", "\\x01"), ("", "")):
            error = self.refused("replay", "/nowhere", "--compat", given)
            self.assertIn(f"--compat: {shown} not in {{1.26,1.32}}", error)

    def test_no_argument_moves_the_cursor_of_a_terminal(self):
        hostile = "/nowhere/a\x1b[2J\u009b2J\nx"
        for arguments in (
            [hostile],
            ["status", hostile],
            ["status", "--" + hostile],
            ["status", "--socket", hostile],
            ["resume", "--socket", hostile],
            ["admit", "--conditions", "", hostile],
            ["check-config", "--config", hostile],
            ["demo", "--scenario", hostile],
            ["events", "--file", hostile],
            ["events", "--follow", "--socket", hostile],
            ["explain", "--file", hostile],
            ["explain", "--at", hostile],
            ["replay", hostile],
        ):
            result = run(*arguments)
            self.assertNotEqual(result.returncode, 0, arguments)
            self.assertIn("a\\x1b[2J\\xc2\\x9b2J\\x0ax", result.stderr, arguments)
            self.assertTrue(all(c == "\n" or c.isprintable() for c in result.stderr), arguments)

    def test_a_file_that_cannot_be_read_is_one_error_with_its_reason(self):
        for arguments, status in (
            (["replay", "/proc/self/mem"], 1),
            (["explain", "--file", "/proc/self/mem"], 1),
            (["events", "--file", "/proc/self/mem"], 1),
            (["check-config", "--config", "/proc/self/mem"], 1),
            (["admit", "--conditions", "", "/proc/self/mem"], 2),
        ):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stdout), (status, ""), arguments)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn("read /proc/self/mem: Input/output error\n", result.stderr)

    def test_a_scenario_that_is_not_known_is_wrong_usage(self):
        for given in ("memory2", "0", "5"):
            error = self.refused("demo", "--scenario", given)
            self.assertIn(f"--scenario: {given} not in {{memory,soft,tmpfs,pids,disk,inodes,emptydir}}", error)
            error = self.refused("demo", "--event-source", given)
            self.assertIn(f"--event-source: {given} not in {{bpf,poll}}", error)

    def test_a_number_with_a_leading_zero_is_wrong_usage(self):
        for given in ("010", "00", "08"):
            error = self.refused("demo", "--grace", given)
            self.assertIn(f'--grace: "{given}": a leading zero, ', error)

    def test_help_is_text_and_names_the_allowed_words(self):
        for subcommand, words in (("replay", "{1.26,1.32}"), ("demo", "{memory,soft,"), ("demo", "{bpf,poll}")):
            result = run(subcommand, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn(words, result.stdout)
            self.assertNotIn("ENUM", result.stdout)
            self.assertTrue(all(c == "\n" or c.isprintable() for c in result.stdout), result.stdout)

    def test_a_lost_stdout_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            pod, config = pathlib.Path(folder) / "pod.json", pathlib.Path(folder) / "ok.yaml"
            pod.write_text(POD, encoding="utf-8")
            config.write_text("dryRun: true\n", encoding="utf-8")
            for status, arguments in (
                (1, ["--help"]),
                (1, ["--version"]),
                (1, ["events", "--help"]),
                (1, ["check-config", config, "--memory-capacity", "8Gi", "--storage-capacity", "100Gi"]),
                (2, ["admit", pod, "--conditions", ""]),
                (2, ["admit", pod, "--conditions", "MemoryPressure"]),
            ):
                with open("/dev/full", "w", encoding="utf-8") as full:
                    result = subprocess.run(
                        [EVICTCTL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                    )
                self.assertEqual(result.returncode, status, arguments)
                self.assertEqual(result.stderr.count("evictctl: write standard output: "), 1, arguments)

    def test_what_is_right_and_fails_exits_with_1(self):
        for arguments in (
            ["events", "--since", "5m", "--file", "/nowhere"],
            ["explain", "--at", "2026-01-31T12:00:00Z", "--file", "/nowhere"],
            ["replay", "/nowhere", "--interval", "10s"],
            ["check-config", "--config", "/nowhere", "--memory-capacity", "1Gi"],
        ):
            result = run(*arguments)
            self.assertEqual((result.returncode, "/nowhere" in result.stderr), (1, True), arguments)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
