# SPDX-License-Identifier: Apache-2.0
"""evictd and `evictctl doctor` where the kernel or the privileges lack something.

What each case expects is what docs/kernel_support.md says of it. A case that needs another kernel command line boots
a machine of its own; the others take something away from their own processes in the machine that is running.
"""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRESET = os.environ.get("EVICTD_PRESET", "dev")
MACHINE = os.environ.get("EVICTD_VM_MACHINE", PRESET)
BIN = f"build/{PRESET}/bin"
# Starts evictd as it is by default, evicts with it, and prints what it says of itself.
DAEMON = f"""
mkdir -p /sys/fs/cgroup/kubepods /run/evictd
trap 'rmdir /sys/fs/cgroup/kubepods' EXIT
echo '{{"evictionHard": {{"memory.available": "1Mi"}}, "controlSocket": "/run/evictd/control.sock"}}' >/run/evictd.yaml
{BIN}/evictd --config /run/evictd.yaml >/run/log 2>&1 &
until {BIN}/evictctl status --json --socket /run/evictd/control.sock >/run/status 2>/dev/null; do
  kill -0 $! || {{ cat /run/log; exit 1; }}
done
tail -1 /run/status
kill $!
wait $!
"""


def run_in_machine(script, kernel_arguments=""):
    """The exit status of a script and the lines that it printed.

    It runs /run/job, which prints what `evictctl doctor --json` says, its exit status, and what `evictctl status` says
    of a default daemon. With kernel_arguments a machine is booted for it.
    """
    command = f"{BIN}/evictctl doctor --json | grep .; echo ${{PIPESTATUS[0]}}\n{DAEMON}"
    text = f"cat >/run/job <<'END'\n{command}\nEND\nchmod +x /run/job\n{script}"
    arguments = ["--preset", PRESET, "--timeout", "120"]
    if kernel_arguments:
        own = f"{PRESET}-{kernel_arguments.replace('=', '-')}"
        vm = ["run", "--name", own, "--append", kernel_arguments, *arguments, "--", text]
    else:
        vm = ["exec", "--name", MACHINE, *arguments, "--", "bash", "-c", text]
    done = subprocess.run(
        [ROOT / "scripts/vm", *vm], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, [line for line in done.stdout.splitlines() if line.strip()]


def in_machine(script, kernel_arguments=""):
    """Exit status of doctor, its object, and the daemon's status."""
    status, output = run_in_machine(script, kernel_arguments)
    if status != 0 or len(output) < 3:
        raise AssertionError(f"status {status}:\n" + "\n".join(output))
    return int(output[-2]), json.loads(output[-3]), json.loads(output[-1])


# What 6.1 has not: bpf_rdonly_cast came with 6.2.
OLD = {"direct reads"}


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
        code, doctor, status = in_machine("bash /run/job")
        self.assertEqual((code, doctor["level"]), (0, "full"))
        self.assertEqual(absent(doctor["kernel"]) | absent(doctor["privileges"]), OLD)
        self.assertEqual(status["event_source"], "bpf")
        self.assertTrue(status["realtime"] and status["memory_locked"])
        self.assertEqual(status["hooks"]["memory-charge"], "fentry")

    def test_a_locked_down_kernel_is_polled(self):
        self.expect_polling(*in_machine("bash /run/job", "lockdown=confidentiality"))

    def test_without_btf_it_is_polled(self):
        code, doctor, status = in_machine(
            "unshare --mount bash -c 'mount -t tmpfs tmpfs /sys/kernel/btf; bash /run/job'")
        self.expect_polling(code, doctor, status)
        self.assertEqual(absent(doctor["kernel"]), {"BTF"} | OLD)

    def test_with_a_file_of_btf_it_works_as_with_the_kernels_own(self):
        job = "cp /sys/kernel/btf/vmlinux /run/btf; sed -i 's|doctor --json|doctor --json --btf /run/btf|' /run/job"
        code, doctor, _ = in_machine(f"{job}; bash /run/job")
        self.assertEqual((code, doctor["level"]), (0, "full"))

    def test_without_psi_stall_time_is_still_seen_by_its_hook(self):
        code, doctor, status = in_machine("bash /run/job", "psi=0")
        self.assertEqual(code, 0)
        self.assertEqual(absent(doctor["kernel"]), {"PSI"} | OLD)
        self.assertEqual(status["hooks"]["stall"], "fentry")

    def test_without_cap_bpf_and_perfmon_it_is_polled(self):
        drop = "capsh --drop=cap_bpf,cap_perfmon,cap_sys_admin -- /run/job"
        code, doctor, status = in_machine(drop)
        self.expect_polling(code, doctor, status)
        self.assertEqual(absent(doctor["privileges"]), {"CAP_BPF", "CAP_PERFMON", "CAP_SYS_ADMIN"})

    def test_bpf_disabled_by_sysctl_for_the_unprivileged_changes_nothing(self):
        # Until the next boot, which harms no other test: each has the privilege, or goes without BPF anyway.
        sysctl = "/proc/sys/kernel/unprivileged_bpf_disabled"
        code, doctor, status = in_machine(f"set -e; echo 1 >{sysctl}; [[ $(<{sysctl}) == 1 ]]; bash /run/job")
        self.assertEqual((code, doctor["level"]), (0, "full"))
        self.assertEqual(status["event_source"], "bpf")

    def test_without_a_memory_controller_it_is_unusable_and_does_not_start(self):
        exit_status, output = run_in_machine("bash /run/job", "cgroup_disable=memory")
        said = "\n".join(output)
        self.assertEqual(exit_status, 1, said)
        told = next((number for number, line in enumerate(output) if line.startswith("{")), None)
        self.assertIsNotNone(told, said)
        doctor = json.loads(output[told])
        self.assertEqual(output[told + 1], "2", said)
        self.assertEqual(doctor["level"], "unusable")
        self.assertIn("cgroup memory", absent(doctor["kernel"]))
        self.assertEqual({purpose["lost"] for purpose in doctor["purposes"]}, {""}, "nothing takes its place")
        self.assertIn("no cgroup memory controller: ", said)
        self.assertIn("boot with cgroup_enable=memory", said)

    def expect_degraded(self, dropped, realtime, memory_locked):
        code, doctor, status = in_machine(f"ulimit -l 64; ulimit -r 0; capsh --drop={dropped} -- /run/job")
        missing = set(dropped.upper().split(",")) - {"CAP_SYS_RESOURCE"}
        self.assertEqual((code, doctor["level"]), (1, "degraded") if missing else (0, "full"))
        self.assertEqual(absent(doctor["privileges"]), missing)
        self.assertEqual(status["event_source"], "bpf")
        self.assertEqual((status["realtime"], status["memory_locked"]), (realtime, memory_locked))

    def test_without_nice_lock_and_resource_it_works_without_priority_and_locked_memory(self):
        self.expect_degraded("cap_sys_nice,cap_ipc_lock,cap_sys_resource", realtime=False, memory_locked=False)

    def test_without_nice_it_works_without_priority(self):
        self.expect_degraded("cap_sys_nice", realtime=False, memory_locked=True)

    def test_without_lock_it_works_without_locked_memory(self):
        self.expect_degraded("cap_ipc_lock", realtime=True, memory_locked=False)

    def test_without_resource_nothing_is_lost(self):
        self.expect_degraded("cap_sys_resource", realtime=True, memory_locked=True)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[1:]])
