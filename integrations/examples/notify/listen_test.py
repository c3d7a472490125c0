# SPDX-License-Identifier: Apache-2.0
"""`evictctl listen` has the arguments and the output of the kernel's cgroup_event_listener."""
import errno
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from fake_server import PATIENCE, FakeServer

EVICTCTL = os.environ["EVICTCTL"]


class ListenTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cgroup = self.folder / "pod"
        self.cgroup.mkdir()
        for name in ("cgroup.procs", "memory.usage_in_bytes", "memory.pressure_level", "memory.oom_control"):
            (self.cgroup / name).touch()
        self.socket = self.folder / "s"
        self.server = FakeServer(self.socket)
        self.addCleanup(lambda: self.server.close())

    def listen(self, *arguments, folder=None):
        listener = subprocess.Popen(
            [os.path.abspath(EVICTCTL), "listen", "--socket", self.socket, *arguments], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.addCleanup(listener.communicate)
        self.addCleanup(listener.kill)
        return listener

    def refused(self, *arguments):
        result = subprocess.run([EVICTCTL, "listen", "--socket", self.socket, *arguments],
                                capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(result.stdout, "")
        return result.returncode, result.stderr

    def test_a_line_names_the_directory_as_the_kernels_program_does(self):
        listener = self.listen(self.cgroup / "memory.usage_in_bytes", "5M")
        registration = self.server.next()
        self.assertEqual((registration.signal, registration.threshold), (0, 5 << 20))
        registration.fire()
        self.assertEqual(listener.stdout.readline(), f"{self.cgroup} 5M: crossed\n")

    def test_a_line_names_the_file_where_it_was_given_without_a_directory(self):
        for argument, name in (("memory.usage_in_bytes", "memory.usage_in_bytes"), ("./memory.usage_in_bytes", "."),
                               (f"{self.cgroup}//memory.usage_in_bytes", str(self.cgroup))):
            listener = self.listen(argument, "5M", folder=self.cgroup)
            self.server.next().fire()
            self.assertEqual(listener.stdout.readline(), f"{name} 5M: crossed\n")

    def test_several_crossings_in_one_read_are_one_line(self):
        listener = self.listen("--count", "2", self.cgroup, "1M")
        registration = self.server.next()
        registration.fire(3)
        self.assertEqual(listener.stdout.readline(), f"{self.cgroup} 1M: crossed\n")
        registration.fire()
        self.assertEqual(listener.communicate(timeout=PATIENCE), (f"{self.cgroup} 1M: crossed\n", ""))
        self.assertEqual(listener.returncode, 0)

    def test_each_threshold_has_its_line(self):
        listener = self.listen(self.cgroup, "1M", "50%")
        first, second = self.server.next(), self.server.next()
        self.assertEqual((second.unit, second.threshold), (1, 500000))
        second.fire()
        self.assertEqual(listener.stdout.readline(), f"{self.cgroup} 50%: crossed\n")
        first.fire()
        self.assertEqual(listener.stdout.readline(), f"{self.cgroup} 1M: crossed\n")

    def test_the_removal_of_the_cgroup_ends_it(self):
        listener = self.listen(self.cgroup / "memory.usage_in_bytes", "5M")
        registration = self.server.next()
        shutil.rmtree(self.cgroup)
        registration.fire()
        self.assertEqual(listener.communicate(timeout=PATIENCE), ("The cgroup seems to have removed.\n", ""))
        self.assertEqual(listener.returncode, 0)

    def test_a_removal_while_a_crossing_is_told_of_is_one(self):
        listener = self.listen(self.cgroup, "5M")
        registration = self.server.next()
        self.server.ended.add(1)
        self.server.before_state = lambda: shutil.rmtree(self.cgroup)
        registration.fire()
        self.assertEqual(listener.communicate(timeout=PATIENCE), ("The cgroup seems to have removed.\n", ""))

    def test_taking_the_controller_away_ends_it_with_the_last_one(self):
        listener = self.listen(self.cgroup, "1M", "2M")
        first, second = self.server.next(), self.server.next()
        self.server.ended.add(1)
        first.fire()
        self.assertIn("1M: its controller was disabled in the cgroup", listener.stderr.readline())
        self.server.ended.add(2)
        second.fire()
        output, error = listener.communicate(timeout=PATIENCE)
        self.assertEqual((listener.returncode, output), (0, ""))
        self.assertIn("2M: its controller was disabled in the cgroup", error)

    def test_pressure_and_oom_are_listened_to_by_their_files(self):
        self.listen(self.cgroup / "memory.pressure_level", "medium,hierarchy")
        pressure = self.server.next()
        self.assertEqual((pressure.signal, pressure.threshold, pressure.mode), (5, 1, 1))
        self.listen(self.cgroup / "memory.oom_control")
        self.assertEqual(self.server.next().signal, 6)

    def test_options_reach_the_server(self):
        self.listen("-s", "working-set", "-d", "down", "--hysteresis", "1M", self.cgroup, "8M")
        registration = self.server.next()
        self.assertEqual(
            (registration.signal, registration.direction, registration.hysteresis), (2, 2, 1 << 20))

    def test_a_restart_of_evictd_is_a_line_and_a_warning(self):
        listener = self.listen(self.cgroup, "1M")
        self.server.next()
        self.server.close()
        self.server = FakeServer(self.socket)
        self.assertEqual(listener.stdout.readline(), f"{self.cgroup} 1M: crossed\n")
        self.assertIn("evictd was gone", listener.stderr.readline())

    def test_an_evictd_that_refuses_after_its_restart_ends_it_with_the_reason(self):
        listener = self.listen(self.cgroup, "1M")
        self.server.next()
        self.server.close()
        self.server = FakeServer(self.socket, refusal=errno.EACCES)
        output, error = listener.communicate(timeout=PATIENCE)
        self.assertEqual((listener.returncode, output), (1, ""))
        self.assertIn(f"evictctl: Can no longer listen to {self.cgroup} 1M: {os.strerror(errno.EACCES)}", error)

    def test_wrong_arguments_are_refused(self):
        for arguments in ([self.cgroup, "much"], [self.cgroup], ["--hysteresis", "1%", self.cgroup, "1M"],
                          ["/dev/null", "1M"], [self.cgroup / "memory.pressure_level", "high"]):
            status, error = self.refused(*arguments)
            self.assertEqual(status, 2, error)
            self.assertIn("allowed: ", error)

    def test_what_makes_no_sense_is_refused_with_what_is_allowed(self):
        oom = self.cgroup / "memory.oom_control"
        for allowed, arguments in (
                ("whole number", ["-n", "-1", self.cgroup, "1"]), ("whole number", ["--count=x", self.cgroup, "1"]),
                ("whole number", ["-n", "18446744073709551616", self.cgroup, "1"]),
                ("working-set", ["-s", "bogus", self.cgroup, "1"]), ("working-set", ["-s", "5", self.cgroup, "1"]),
                ("both, down, up", ["-d", "sideways", self.cgroup, "1"]),
                ("at most as much", ["--hysteresis", "30M", self.cgroup, "20M"]),
                ("both", ["-d", "up", oom]), ("no --hysteresis", ["--hysteresis", "1", oom]),
                ("bytes a second", ["-s", "rate", self.cgroup, "5%"])):
            status, error = self.refused(*arguments)
            self.assertEqual(status, 2, error)
            self.assertRegex(error, f"^(evictctl: |--)[^{{}}]*allowed: .*{allowed}")

    def test_what_fails_is_said(self):
        status, error = self.refused(self.folder / "none", "1M")
        self.assertEqual(status, 1)
        self.assertIn("Cannot open", error)
        self.server.close()
        status, error = self.refused(self.cgroup, "1M")
        self.assertEqual(status, 1)
        self.assertIn("is evictd running?", error)


if __name__ == "__main__":
    unittest.main()
