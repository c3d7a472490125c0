# SPDX-License-Identifier: Apache-2.0
"""scripts/vm itself: what goes into the machine and what comes out of it, and what becomes of a command that hangs."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRESET = os.environ.get("EVICTD_PRESET", "dev")
MACHINE = os.environ.get("EVICTD_VM_MACHINE", PRESET)


def vm(do, name, *arguments):
    return subprocess.run([ROOT / "scripts/vm", do, "--preset", PRESET, "--name", name, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class MachineTest(unittest.TestCase):
    def test_a_command_and_files_go_in_and_text_files_and_the_exit_status_come_out(self):
        with tempfile.TemporaryDirectory() as folder:
            found = Path(folder, "found")
            command = "head -1 CHANGELOG.md; uname -r; mkdir /run/out/below; echo written >/run/out/below/file; exit 7"
            done = vm("run", f"{PRESET}-machine", "--file", "CHANGELOG.md", "--output", str(found), "--", command)
            self.assertEqual(done.returncode, 7, done.stdout + done.stderr)
            first, kernel = done.stdout.split("\n")[:2]
            self.assertEqual(first, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n")[0])
            self.assertRegex(kernel, r"^6\.1\.")
            self.assertEqual((found / "below/file").read_text(encoding="utf-8"), "written\n")

    def test_the_kernel_and_the_hierarchies_are_those_that_were_asked_for(self):
        done = vm("run", f"{PRESET}-machine", "--kernel", "5.10", "--cgroup", "v1", "--",
                  "uname -r; grep ' cgroup ' /proc/mounts; for disk in nvme{0,1,2}n1; do cat /sys/block/$disk/device/serial; done")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^5\.10\.")
        self.assertRegex(done.stdout, r"(?m)^cgroup /sys/fs/cgroup/memory cgroup \S*\bmemory\b")
        self.assertEqual(sorted(line.strip() for line in done.stdout.splitlines()[-3:]), ["files", "root", "tree"])

    def test_one_that_hangs_is_killed_and_the_console_is_shown(self):
        for stubborn in ("", "trap '' TERM; "):
            with self.subTest(stubborn=stubborn):
                command = f"{stubborn}echo here it hangs; echo what the console has >/dev/console; sleep 987654"
                done = vm("exec", MACHINE, "--timeout", "3", "--", command)
                self.assertEqual(done.returncode, 124, done.stdout + done.stderr)
                self.assertEqual(done.stdout.strip(), "here it hangs")
                self.assertIn("vm: stopped after 3 s. The end of the console:\n", done.stderr)
                self.assertIn("what the console has", done.stderr)
        after = vm("exec", MACHINE, "--", "pgrep -f '^sleep 987654'; echo the next one runs")
        self.assertEqual((after.returncode, after.stdout.strip()), (0, "the next one runs"), after.stderr)

    def test_doctor_exits_with_0(self):
        done = vm("exec", MACHINE, "--", f"build/{PRESET}/bin/evictctl", "doctor", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        doctor = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
        self.assertEqual(doctor["level"], "full")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[1:]])
