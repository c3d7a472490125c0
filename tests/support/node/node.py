# SPDX-License-Identifier: Apache-2.0
"""A small private node: a cgroup tree with pods of real processes, the real evictd, and evictd-web."""
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

# For operations that take a second on an idle machine; only a failure waits this long.
PATIENCE = 120
MIB = 1 << 20
LIMIT_MIB, HEADROOM_MIB = 512, 128


def hierarchies():
    """Hierarchies that pods need: the mount points of those with memory and with pids."""
    found, unified = {}, None
    for line in pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, mount, kind, options = line.split()[:4]
        if kind == "cgroup":
            for controller in {"memory", "pids"} & set(options.split(",")):
                found[controller] = pathlib.Path(mount)
        elif kind == "cgroup2":
            unified = pathlib.Path(mount)
    return found or {"memory": unified}


class Tree:
    """A pod root below a private cgroup in each hierarchy."""

    def __init__(self, name):
        self.name = name
        self.hierarchies = hierarchies()
        self.v1 = len(self.hierarchies) > 1
        self.processes = []
        for place in self.roots():
            (place / "kubepods").mkdir(parents=True)
        if not self.v1:
            for place in (self.roots()[0], self.roots()[0] / "kubepods"):
                (place / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
        limit = "memory.limit_in_bytes" if self.v1 else "memory.max"
        (self.hierarchies["memory"] / name / "kubepods" / limit).write_text(str(LIMIT_MIB * MIB), encoding="ascii")

    def roots(self):
        return [mount / self.name for mount in self.hierarchies.values()]

    def add(self, uid, program, *arguments):
        """A pod: a directory of the root in each hierarchy, and an evict-load in it."""
        places = [root / "kubepods" / f"pod{uid}" for root in self.roots()]
        for place in places:
            place.mkdir()
        command = [program, *arguments, *(word for place in places for word in ("--cgroup", place))]
        self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return self.processes[-1]

    def remove(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        for root in self.roots():
            for place in sorted(root.rglob("*"), reverse=True):
                if place.is_dir():
                    remove_cgroup(place)
            remove_cgroup(root)


def remove_cgroup(place):
    # EBUSY for a moment after its last process was reaped.
    for _ in range(1_000_000):
        try:
            place.rmdir()
            return
        except OSError:
            if not place.exists():
                return
    raise AssertionError(f"{place} stays busy")


def pod_document(uid, namespace, name, priority=0, request_mib=0):
    container = {"name": "main", "resources": {"requests": {"memory": f"{request_mib}Mi"}} if request_mib else {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "uid": uid},
            "spec": {"priority": priority, "containers": [container]}}


class Lines(threading.Thread):
    """Lines that a process writes to a pipe."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.queue, self.said = pipe, queue.Queue(), []
        self.start()

    def run(self):
        for line in self.pipe:
            self.said.append(line)
            self.queue.put(line)
        self.queue.put(None)

    def wait_for(self, words):
        while True:
            line = self.queue.get(timeout=PATIENCE)
            if line is None:
                raise AssertionError(f"ended without {words!r}: {''.join(self.said)}")
            if words in line:
                return line


def wait_until(holds, what):
    """Calls `holds()` until it returns a true value; returns that value."""
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while time.monotonic() < deadline:
        found = holds()
        if found:
            return found
        pause.wait(0.02)
    raise AssertionError(f"not within {PATIENCE} s: {what}")


class Node:
    """Pods, evictd and evictd-web; all removed after the test."""

    wait_until = staticmethod(wait_until)

    def __init__(self, test, source="auto"):
        self.test = test
        self.bin = pathlib.Path(os.environ["EVICTD_BIN"])
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="evictd-web-"))
        test.addCleanup(shutil.rmtree, self.directory)
        # evictd-web runs as a user who may only read the socket.
        self.directory.chmod(0o755)
        self.tree = Tree(f"evictd-web-{os.getpid()}-{id(self):x}")
        test.addCleanup(self.tree.remove)
        (self.directory / "pods").mkdir()
        config = {"cgroupRoot": f"/{self.tree.name}", "manifestDirectories": [str(self.directory / "pods")],
                  "runtimeDirectory": str(self.directory), "eventSource": source, "hardEvictionGracePeriodSeconds": 0,
                  "inKernelBrake": "off",  # Else the machine would decide which side kills.
                  "evictionHard": {"allocatableMemory.available": f"{HEADROOM_MIB}Mi", "pid.available": "1%"}}
        (self.directory / "evictd.yaml").write_text(json.dumps(config), encoding="utf-8")
        self.evictd = None
        self.web = None
        self.port = 0

    def describe(self, uid, *arguments, **more):
        (self.directory / "pods" / f"{uid}.json").write_text(json.dumps(pod_document(uid, *arguments, **more)),
                                                             encoding="utf-8")

    def start_evictd(self):
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        ready.bind(str(self.directory / "ready"))
        ready.settimeout(PATIENCE)
        with (self.directory / "evictd.log").open("a", encoding="utf-8") as log:
            self.evictd = subprocess.Popen(
                [self.bin / "evictd", "--config", self.directory / "evictd.yaml"], stdin=subprocess.DEVNULL, stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": ready.getsockname()})
        self.test.addCleanup(self.end, self.evictd)
        while b"READY=1" not in ready.recv(4096).split(b"\n"):
            pass
        ready.close()
        (self.directory / "ready").unlink()
        # As evictd.service.d/control-socket.conf does for its group.
        os.chown(self.directory / "control.sock", -1, pwd.getpwnam("nobody").pw_gid)

    def start_web(self, *options, listen="127.0.0.1:0"):
        nobody = pwd.getpwnam("nobody")
        self.web = subprocess.Popen(
            ["setpriv", "--reuid", str(nobody.pw_uid), "--regid", str(nobody.pw_gid), "--clear-groups",
             "--bounding-set=-all", "--no-new-privs", self.bin / "evictd-web", "--socket",
             self.directory / "control.sock", "--listen", listen, *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.test.addCleanup(self.end, self.web)
        lines = Lines(self.web.stderr)
        told = lines.wait_for("listens at ").split()[-1]
        if told.startswith("http"):
            self.port = int(told.rstrip("/").rsplit(":", 1)[1])

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        process.wait()
        if process.stderr:
            process.stderr.close()

    def get(self, path, headers=None, **more):
        """(status, headers, body) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE, **more)
        with contextlib.closing(connection):
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def json(self, path):
        status, _, body = self.get(path)
        self.test.assertEqual(status, 200, body)
        return json.loads(body)

    def metrics(self):
        status, _, body = self.get("/metrics")
        self.test.assertEqual(status, 200)
        values = {}
        for line in body.decode().splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values[name] = float(value)
        return values

    def add_quiet_pod(self, uid, *arguments, **more):
        """Adds a pod with a manifest and a few MiB."""
        self.describe(uid, *arguments, **more)
        return self.tree.add(uid, self.bin / "evict-load", "memory", "--cap", "8Mi")

    def add_hog(self, uid, *arguments):
        """Adds a pod with a manifest that crosses the threshold within a second."""
        self.describe(uid, *arguments)
        return self.tree.add(uid, self.bin / "evict-load", "memory", "--rate", "400Mi", "--cap",
                             f"{LIMIT_MIB - HEADROOM_MIB // 2}Mi")
