# SPDX-License-Identifier: Apache-2.0
"""The examples in C, Go and shell do what they say."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from fake_server import PATIENCE, FakeServer

HERE = pathlib.Path(__file__).resolve().parent


class ExamplesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cgroup = self.folder / "pod"
        self.cgroup.mkdir()
        (self.cgroup / "cgroup.procs").touch()
        (self.cgroup / "memory.current").write_text("7\n", encoding="ascii")
        self.server = FakeServer(self.folder / "s")
        self.addCleanup(self.server.close)

    def start(self, *command):
        program = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    def test_c(self):
        program = self.start(os.environ["EXAMPLE_C"], self.cgroup, 4096, self.folder / "s")
        self.assertEqual(program.stdout.readline(), "listening\n")
        registration = self.server.next()
        self.assertEqual(registration.threshold, 4096)
        registration.fire(2)
        self.assertEqual(program.stdout.readline(), "crossed 2\n")
        shutil.rmtree(self.cgroup)
        registration.fire()
        self.assertEqual(program.communicate(timeout=PATIENCE)[0], "removed\n")
        self.assertEqual(program.returncode, 0)

    def test_go(self):
        program = self.start(os.environ["EXAMPLE_GO"], "-socket", self.folder / "s", "-events", 1, self.cgroup, 4096)
        self.assertEqual(program.stdout.readline(), "listening\n")
        registration = self.server.next()
        self.assertEqual(registration.threshold, 4096)
        registration.fire()
        self.assertEqual(program.communicate(timeout=PATIENCE)[0], f"{self.cgroup} 4096: crossed\n")
        self.assertEqual(program.returncode, 0)

    def test_shell(self):
        program = self.start(HERE / "listen.sh", self.cgroup, 4096, self.folder / "s")
        registration = self.server.next()
        self.assertEqual(registration.direction, 1)
        registration.fire()
        self.assertEqual(program.stdout.readline(), f"{self.cgroup} 4096: crossed, usage is 7\n")
        shutil.rmtree(self.cgroup)
        registration.fire()
        # The library's word for the removal is handed on as any line.
        self.assertIn("The cgroup seems to have removed.", program.communicate(timeout=PATIENCE)[0])
        self.assertEqual(program.returncode, 0)


if __name__ == "__main__":
    unittest.main()
