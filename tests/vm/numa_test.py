# SPDX-License-Identifier: Apache-2.0
"""The memory of a machine with two NUMA nodes, in one that is booted for it (docs/vm.md)."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRESET = os.environ.get("EVICTD_PRESET", "dev")
TESTS = f"build/{PRESET}/tests"
# A kernel with MGLRU switched on knows the nodes of a cgroup before it has used them.
SCRIPT = f"""
mglru=/sys/kernel/mm/lru_gen/enabled
if [[ -e $mglru ]]; then echo 0 >$mglru; echo "MGLRU $(<$mglru)"; fi
echo "nodes with memory $(</sys/devices/system/node/has_memory)"
"""


class NumaTest(unittest.TestCase):
    def expect_passed(self, program, pattern):
        """Runs these cases of a test program there; none may be skipped."""
        command = f"{SCRIPT}{TESTS}/{program} --gtest_filter='{pattern}'"
        vm = ["run", "--preset", PRESET, "--name", f"{PRESET}-numa", "--numa", "2", "--timeout", "240"]
        done = subprocess.run([ROOT / "scripts/vm", *vm, "--", command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertIn("nodes with memory 0-1\n", done.stdout.replace("\r", ""), done.stdout)
        self.assertNotIn("MGLRU 0x0007", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\[  PASSED  \] [1-9]")
        self.assertNotIn("SKIPPED", done.stdout, done.stdout)

    def test_growth_on_the_other_node_is_seen(self):
        self.expect_passed("safety_nets_test", "TwoNodes.*")

    def test_the_node_is_what_its_files_say(self):
        self.expect_passed("bpf_family_test", "Node.UsageEquals*:Node.InactiveFile*:AtHand.Equals*")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[1:]])
