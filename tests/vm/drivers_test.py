# SPDX-License-Identifier: Apache-2.0
"""The names that the two cgroup drivers give, on cgroup v2, with and without a prefix: the pod in them is evicted."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRESET = os.environ.get("EVICTD_PRESET", "dev")
BIN = f"build/{PRESET}/bin"
UID = "0b5e2c7e-3f0d-4f0b-9a54-5d6f0c1a2b3c"
CONTAINER = "5e" * 32
MANIFEST = {
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "hog", "namespace": "default", "uid": UID,
                 "annotations": {"kubernetes.io/config.source": "api"}},
    "spec": {"containers": [{"name": "main", "image": "hog"}]},
    "status": {"phase": "Running", "qosClass": "BestEffort"},
}
# Makes the cgroups of $1 with the pod root limited, evicts what grows in them, and prints the eviction.
JOB = f"""
cd /sys/fs/cgroup
path=$1 root=$2 config=$3 made=
for part in ${{path//\\// }}; do
  [[ -z $made ]] || echo '+memory +pids' >"$made/cgroup.subtree_control"
  made+=${{made:+/}}$part
  mkdir -p "$made"
done
echo $((160 << 20)) >"$root/memory.max"
cd "$OLDPWD"
run=$(mktemp -d /run/drivers.XXXXXX)
mkdir "$run/pods"
echo '{json.dumps(MANIFEST)}' >"$run/pods/hog.json"
echo "$config" | sed "s|RUN|$run|g" >"$run/config.yaml"
{BIN}/evictd --config "$run/config.yaml" >"$run/log" 2>&1 &
daemon=$!
status() {{ {BIN}/evictctl status --json --socket "$run/socket" 2>/dev/null; }}
until status | grep -q '"cgroup_mode"'; do
  kill -0 $daemon || {{ cat "$run/log"; exit 1; }}
done
{BIN}/evict-load memory --cgroup "/sys/fs/cgroup/$path" --cap 140Mi >/dev/null &
wait $!
echo "load $?"
until status | grep -q '"state":"released"'; do :; done
status | tail -1
kill $daemon
wait $daemon
while [[ $path == */* ]]; do rmdir "/sys/fs/cgroup/$path"; path=${{path%/*}}; done
rmdir "/sys/fs/cgroup/$path"
"""


class DriversTest(unittest.TestCase):
    def expect_eviction(self, driver, cgroup_root, pod_root, pod, container):
        config = {
            "cgroupRoot": cgroup_root, "cgroupDriver": driver, "manifestDirectories": ["RUN/pods"],
            "controlSocket": "RUN/socket", "runtimeDirectory": "RUN",
            "evictionHard": {"allocatableMemory.available": "64Mi"}, "hardEvictionGracePeriodSeconds": 0,
        }
        path = f"{pod_root}/{pod}/{container}"
        command = ["bash", "-c", JOB, "job", path, pod_root, json.dumps(config)]
        done = subprocess.run(
            [ROOT / "scripts/vm", "exec", "--preset", PRESET, "--timeout", "100", "--", *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertIn("load 137", done.stdout, done.stdout)
        status = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
        self.assertEqual(status["pod_root"], f"/{pod_root}")
        self.assertEqual([eviction["uid"] for eviction in status["evictions"]], [UID])
        self.assertEqual(status["event_source"], "bpf")
        self.assertEqual(status["counters"]["kernel_oom_kills"], 0)

    def test_cgroupfs(self):
        self.expect_eviction("cgroupfs", "/", "kubepods", f"besteffort/pod{UID}", CONTAINER)

    def test_cgroupfs_below_a_prefix(self):
        self.expect_eviction("cgroupfs", "/node", "node/kubepods", f"besteffort/pod{UID}", CONTAINER)

    def test_systemd(self):
        slice_uid = UID.replace("-", "_")
        self.expect_eviction(
            "systemd", "/", "kubepods.slice",
            f"kubepods-besteffort.slice/kubepods-besteffort-pod{slice_uid}.slice", f"cri-containerd-{CONTAINER}.scope")

    def test_systemd_below_a_prefix(self):
        slice_uid = UID.replace("-", "_")
        self.expect_eviction(
            "systemd", "/node", "node.slice/node-kubepods.slice",
            f"node-kubepods-besteffort.slice/node-kubepods-besteffort-pod{slice_uid}.slice",
            f"cri-containerd-{CONTAINER}.scope")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[1:]])
