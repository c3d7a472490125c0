# SPDX-License-Identifier: Apache-2.0
"""Shapes of real nodes, on cgroup v2: many pods of many containers, and a pod that is resized in place.

Runs in the virtual machine: shapes_in_machine.py BIN [CASE...]
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

BIN = Path(sys.argv[1]).resolve()
CGROUPS = Path("/sys/fs/cgroup")
ROOT = CGROUPS / "kubepods.slice"
MIB = 1 << 20
PODS = 250
CONTAINERS = 4
# For what takes seconds on a machine that is emulated; only a failure waits this long.
PATIENCE_S = 300


def slice_of(uid):
    return ROOT / "kubepods-burstable.slice" / f"kubepods-burstable-pod{uid.replace('-', '_')}.slice"


def scope_of(uid, container):
    return slice_of(uid) / f"cri-containerd-{container:02x}{uid.replace('-', '') + uid.replace('-', '')[:30]}.scope"


def manifest(name, uid, request, containers, priority=0):
    """A pod whose first container requests memory."""
    described = [{"name": f"c{i}", "image": "i"} for i in range(containers)]
    described[0]["resources"] = {"requests": {"memory": str(request)}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "uid": uid,
                         "annotations": {"kubernetes.io/config.source": "api"}},
            "spec": {"containers": described, "priority": priority},
            "status": {"phase": "Running", "qosClass": "Burstable"}}


class Shapes(unittest.TestCase):
    def setUp(self):
        self.run = Path(tempfile.mkdtemp(prefix="shapes.", dir="/run"))
        (self.run / "pods").mkdir()
        self.loads = []
        self.daemon = None
        ROOT.mkdir()
        for folder in (CGROUPS, ROOT):
            (folder / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")

    def tearDown(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()
        for load in self.loads:
            load.kill()
            load.communicate()
        folders = [path for path in ROOT.rglob("*") if path.is_dir()]
        for folder in sorted(folders, reverse=True) + [ROOT]:
            folder.rmdir()
        shutil.rmtree(self.run)

    def log(self):
        return (self.run / "log").read_text(encoding="utf-8")

    def add_pod(self, name, request, containers=1, priority=0):
        uid = str(uuid.uuid4())
        for i in range(containers):
            scope_of(uid, i).mkdir(parents=True)
        for folder in (slice_of(uid).parent, slice_of(uid)):
            (folder / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
        self.describe(manifest(name, uid, request, containers, priority))
        return uid

    def describe(self, pod):
        """As the kubelet's file source has it: a file is replaced as a whole."""
        file = self.run / "pods" / f"{pod['metadata']['uid']}.json"
        unfinished = self.run / "unfinished"
        unfinished.write_text(json.dumps(pod), encoding="ascii")
        unfinished.rename(file)

    def start_daemon(self, left):
        """The pod root is the node: evictd evicts when it has less than `left`."""
        config = {"cgroupDriver": "systemd", "manifestDirectories": [str(self.run / "pods")],
                  "runtimeDirectory": str(self.run), "evictionHard": {"allocatableMemory.available": str(left)}, "hardEvictionGracePeriodSeconds": 0}
        (self.run / "config.yaml").write_text(json.dumps(config), encoding="ascii")
        ready = self.run / "ready"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, open(self.run / "log", "wb") as log:
            told.bind(str(ready))
            told.settimeout(PATIENCE_S)
            self.daemon = subprocess.Popen([BIN / "evictd", "--config", self.run / "config.yaml"], stdout=log, stderr=log,
                                           env={**os.environ, "NOTIFY_SOCKET": str(ready)})
            while b"READY=1" not in told.recv(4096).split(b"\n"):
                pass

    def status(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
            control.settimeout(PATIENCE_S)
            control.connect(str(self.run / "control.sock"))
            control.sendall(b'{"op": "status"}\n')
            with control.makefile(encoding="utf-8") as lines:
                return json.loads(lines.readline())

    def await_status(self, what, condition):
        give_up = time.monotonic() + PATIENCE_S
        while True:
            seen = self.status()
            if condition(seen):
                return seen
            self.assertLess(time.monotonic(), give_up, f"{what}\n{json.dumps(seen)[:4000]}\n{self.log()}")
            # Between two questions; the next answer is what counts.
            time.sleep(0.05)

    def await_pods(self, count):
        return self.await_status(f"{count} pods are not known", lambda seen: sum(
            pod["state"] == "active" for pod in seen["pods"]) == count)

    def load(self, folder, *arguments):
        process = subprocess.Popen([BIN / "evict-load", "memory", "--cgroup", folder, *arguments],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.loads.append(process)
        return process

    def hold(self, uid, held, cap):
        """A container that holds so much, and takes what is up to `cap` once its input ends."""
        process = self.load(scope_of(uid, 0), "--parked", str(held), "--cap", str(cap), "--start", "stdin")
        give_up = time.monotonic() + PATIENCE_S
        usage = slice_of(uid) / "memory.current"
        while int(usage.read_text(encoding="ascii")) < held:
            self.assertLess(time.monotonic(), give_up, usage.read_text(encoding="ascii"))
            time.sleep(0.05)
        return process

    def await_eviction(self, uid):
        seen = self.await_status("nothing was evicted and given back", lambda status: any(
            eviction["state"] == "released" for eviction in status["evictions"]))
        self.assertEqual([eviction["uid"] for eviction in seen["evictions"]], [uid], self.log())
        self.assertEqual(seen["event_source"], "bpf")
        self.assertEqual(seen["counters"]["kernel_oom_kills"], 0)
        return seen

    def test_of_many_pods_of_many_containers_the_one_that_grows_dies(self):
        (ROOT / "memory.max").write_text(str(1024 * MIB), encoding="ascii")
        calm = []
        for i in range(PODS - 1):
            uid = self.add_pod(f"calm-{i}", 64 * MIB, CONTAINERS)
            calm.append(subprocess.Popen(["sleep", "infinity"]))
            self.loads.append(calm[-1])
            (scope_of(uid, 1) / "cgroup.procs").write_text(str(calm[-1].pid), encoding="ascii")
        hog = self.add_pod("hog", 16 * MIB, CONTAINERS)
        parked = self.hold(hog, 8 * MIB, 16 * MIB)
        self.start_daemon(512 * MIB)
        self.await_pods(PODS)
        parked.stdin.close()
        second = self.load(scope_of(hog, 3), "--cap", str(900 * MIB))
        self.await_eviction(hog)
        for process in (parked, second):
            self.assertEqual(process.wait(), -9)
        self.assertEqual([process.poll() for process in calm], [None] * len(calm))

    def test_a_pod_that_is_resized_in_place_is_judged_by_its_new_request(self):
        (ROOT / "memory.max").write_text(str(512 * MIB), encoding="ascii")
        shrunk = self.add_pod("shrunk", 96 * MIB)
        grown = self.add_pod("grown", 16 * MIB)
        grower = self.add_pod("grower", 1024 * MIB, priority=1000)
        # As they were requested, the second one uses more than its request.
        held = [self.hold(uid, 64 * MIB, 65 * MIB) for uid in (shrunk, grown)]
        growing = self.hold(grower, 8 * MIB, 224 * MIB)
        self.start_daemon(192 * MIB)
        self.await_pods(3)
        for uid, name, request in ((shrunk, "shrunk", 16 * MIB), (grown, "grown", 96 * MIB)):
            (slice_of(uid) / "memory.max").write_text(str(2 * request + 64 * MIB), encoding="ascii")
            self.describe(manifest(name, uid, request, 1))
        self.await_status("the new requests are not known", lambda status: {
            pod["uid"]: pod.get("memory_request_bytes") for pod in status["pods"]} == {
                shrunk: 16 * MIB, grown: 96 * MIB, grower: 1024 * MIB})
        self.assertEqual(self.status()["evictions"], [], self.log())
        growing.stdin.close()
        self.await_eviction(shrunk)
        self.assertEqual(held[0].wait(), -9)
        self.assertEqual([held[1].poll(), growing.poll()], [None, None])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *(f"Shapes.{case}" for case in sys.argv[2:])])
