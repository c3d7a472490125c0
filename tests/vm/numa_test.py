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
# MGLRU, where it is switched on, makes a cgroup know nodes that it has not used.
SCRIPT = f"""
mglru=/sys/kernel/mm/lru_gen/enabled
if [[ -e $mglru ]]; then echo 0 >$mglru; echo "MGLRU $(<$mglru)"; fi
echo "nodes with memory $(</sys/devices/system/node/has_memory)"
"""


class NumaTest(unittest.TestCase):
    def expect_passed(self, program, pattern, arguments=""):
        """Runs these cases of a test program there; none may be skipped. `arguments` are the kernel's."""
        command = f"{SCRIPT}{TESTS}/{program} --gtest_filter='{pattern}'"
        vm = ["run", "--preset", PRESET, "--name", f"{PRESET}-numa", "--numa", "2", "--timeout", "240",
              f"--append={arguments}"]
        done = subprocess.run([ROOT / "scripts/vm", *vm, "--", command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertIn("nodes with memory 0-1\n", done.stdout.replace("\r", ""), done.stdout)
        self.assertNotIn("MGLRU 0x0007", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\[  PASSED  \] [1-9]")
        self.assertNotIn("SKIPPED", done.stdout, done.stdout)

    def test_growth_on_the_other_node_is_seen(self):
        self.expect_passed("safety_nets_test", "TwoNodes.*")

    def test_a_node_that_the_cgroup_never_used_is_read(self):
        # Of a node with a processor the kernel side itself takes memory while it is loaded.
        self.expect_passed("bpf_family_test", "TwoNodes.*", "nr_cpus=1")

    def test_the_node_is_what_its_files_say(self):
        self.expect_passed("bpf_family_test", "Node.UsageEquals*:Node.InactiveFile*:AtHand.Equals*")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[1:]])
