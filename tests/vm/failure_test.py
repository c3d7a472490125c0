# SPDX-License-Identifier: Apache-2.0
"""evictd and `evictctl doctor` where the kernel or the privileges lack something; each case boots a machine.

What each case expects is what docs/kernel_support.md says of it.
"""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRESET = os.environ.get("EVICTD_PRESET", "dev")
BIN = f"build/{PRESET}/bin"
# Starts evictd as it is by default, evicts with it, and prints what it says of itself.
DAEMON = f"""
mkdir -p /sys/fs/cgroup/kubepods /run/evictd
echo '{{"evictionHard": {{"memory.available": "1Mi"}}, "controlSocket": "/run/evictd/control.sock"}}' >/run/evictd.yaml
{BIN}/evictd --config /run/evictd.yaml >/run/log 2>&1 &
until {BIN}/evictctl status --json --socket /run/evictd/control.sock >/run/status 2>/dev/null; do
  kill -0 $! || {{ cat /run/log; exit 1; }}
done
tail -1 /run/status
kill $!
wait $!
"""


def in_machine(name, script, kernel_arguments=""):
    """Exit status of `evictctl doctor --json`, its object, and that of `evictctl status` of a default daemon."""
    command = f"{BIN}/evictctl doctor --json | grep .; echo ${{PIPESTATUS[0]}}\n{DAEMON}"
    lines = [f"cat >/run/job <<'END'\n{command}\nEND", script]
    done = subprocess.run(
        [ROOT / "scripts/vm", "run", "--preset", PRESET, "--name", f"{PRESET}-{name}", "--append", kernel_arguments,
         "--timeout", "120", "--", "\n".join(lines)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    output = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0 or len(output) < 3:
        raise AssertionError(f"status {done.returncode}:\n{done.stdout}")
    return int(output[-2]), json.loads(output[-3]), json.loads(output[-1])


def absent(features):
    return {feature["name"] for feature in features if not feature["present"]}


class FailureTest(unittest.TestCase):
    def expect_polling(self, code, doctor, status):
        self.assertEqual(code, 2)
        self.assertEqual(doctor["level"], "poll-only")
        self.assertTrue(doctor["failure"] or not doctor["purposes"][0]["chosen"])
        rows = [row for purpose in doctor["purposes"] for row in purpose["rows"] if not purpose["chosen"]]
        self.assertEqual([row for row in rows if not row["reason"]], [], "each row says why it is not used")
        self.assertEqual(status["event_source"], "poll")
        self.assertLessEqual(set(status["hooks"].values()), {"none", "off"})

    def test_everything_there_is_full_support(self):
        code, doctor, status = in_machine("full", "bash /run/job")
        self.assertEqual((code, doctor["level"]), (0, "full"))
        self.assertEqual(absent(doctor["kernel"]) | absent(doctor["privileges"]), set())
        self.assertEqual(status["event_source"], "bpf")
        self.assertTrue(status["realtime"] and status["memory_locked"])
        self.assertEqual(status["hooks"]["memory-charge"], "fentry")

    def test_a_locked_down_kernel_is_polled(self):
        self.expect_polling(*in_machine("lockdown", "bash /run/job", "lockdown=confidentiality"))

    def test_without_btf_it_is_polled(self):
        code, doctor, status = in_machine("nobtf", "mount -t tmpfs tmpfs /sys/kernel/btf; bash /run/job")
        self.expect_polling(code, doctor, status)
        self.assertEqual(absent(doctor["kernel"]), {"BTF"})

    def test_with_a_file_of_btf_it_works_as_with_the_kernels_own(self):
        job = f"cp /sys/kernel/btf/vmlinux /run/btf; sed -i 's|doctor --json|doctor --json --btf /run/btf|' /run/job"
        code, doctor, _ = in_machine("btf", f"{job}; bash /run/job")
        self.assertEqual((code, doctor["level"]), (0, "full"))

    def test_without_psi_stall_time_is_still_seen_by_its_hook(self):
        code, doctor, status = in_machine("nopsi", "bash /run/job", "psi=0")
        self.assertEqual(code, 0)
        self.assertEqual(absent(doctor["kernel"]), {"PSI"})
        self.assertEqual(status["hooks"]["stall"], "fentry")

    def test_without_cap_bpf_and_perfmon_it_is_polled(self):
        drop = "capsh --drop=cap_bpf,cap_perfmon,cap_sys_admin -- /run/job"
        code, doctor, status = in_machine("nobpf", drop)
        self.expect_polling(code, doctor, status)
        self.assertEqual(absent(doctor["privileges"]), {"CAP_BPF", "CAP_PERFMON", "CAP_SYS_ADMIN"})

    def test_without_nice_lock_and_resource_it_works_without_priority_and_locked_memory(self):
        dropped = "cap_sys_nice,cap_ipc_lock,cap_sys_resource"
        code, doctor, status = in_machine(
            "nonice", f"ulimit -l 64; ulimit -r 0; capsh --drop={dropped} -- /run/job")
        self.assertEqual((code, doctor["level"]), (1, "degraded"))
        self.assertEqual(absent(doctor["privileges"]), set(dropped.upper().split(",")))
        self.assertEqual(status["event_source"], "bpf")
        self.assertFalse(status["realtime"] or status["memory_locked"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[1:]])
