#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures evictd-kube's cost beside evictd with many pods, and how soon the API server gets an eviction.

Uses the real evictd on its own cgroup tree, the real evictd-kube in mode assist, and a fake kubelet and API server
(tests/support/kube). In turns, evictd runs alone with the manifests that evictd-kube left, and together with
evictd-kube. Each turn first rests, and then lets pods grow through the threshold one after another.
"""
import argparse
import contextlib
import copy
import datetime
import json
import math
import os
import pathlib
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

# Otherwise what a run leaves in the tree looks like a change of it.
sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support/kube"))
from fake_actions import ActionKube  # noqa: E402
from fake_kube import Authority  # noqa: E402

MIB = 1 << 20
LIMIT = 512 * MIB
LEFT = 256 * MIB
HOG = 384 * MIB
# Only a failure waits this long.
PATIENCE_SECONDS = 120


def await_that(condition, what, look_seconds=0.01):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} did not come")
        time.sleep(look_seconds)
    return found


class StampedKube(ActionKube):
    """A fake kubelet and API server that record the time of the first change for each pod."""

    def __init__(self, *arguments, **options):
        self.asked_at = {}  # By the pod's name.
        super().__init__(*arguments, **options)

    def apply(self, method, path, body, content_type):
        now = time.monotonic_ns()
        if "/pods/" in path:
            self.asked_at.setdefault(path.split("/pods/")[1].split("/")[0], now)
        return super().apply(method, path, body, content_type)


class Tree:
    """Cgroups shaped like a kubelet's, with a limit on the pod root. Removed at the end, with their processes."""

    def __init__(self, name):
        self.name = name
        self.is_v1 = pathlib.Path("/sys/fs/cgroup/memory").is_dir()
        self.tops = [pathlib.Path("/sys/fs/cgroup", part) for part in (("memory", "pids") if self.is_v1 else ("",))]
        self.make("kubepods")
        limit = "memory.limit_in_bytes" if self.is_v1 else "memory.max"
        (self.tops[0] / name / "kubepods" / limit).write_text(str(LIMIT), encoding="ascii")

    def make(self, path):
        """Creates its directories, one per hierarchy, and returns them."""
        made = [top / self.name / path for top in self.tops]
        for top, directory in zip(self.tops, made):
            directory.mkdir(parents=True)
            above = [] if self.is_v1 else [parent for parent in directory.parents if top in parent.parents]
            for parent in reversed(above):
                (parent / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
        return made

    def remove(self):
        for top in self.tops:
            for directory, _, _ in os.walk(top / self.name, topdown=False):
                procs = pathlib.Path(directory, "cgroup.procs")
                for pid in procs.read_text(encoding="ascii").split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                await_that(lambda procs=procs: not procs.read_text(encoding="ascii").strip(), "the end of a process")
                os.rmdir(directory)


class Follower:
    """Reads evictd's journal beside evictd-kube."""

    def __init__(self, path):
        self.decisions = {}  # By uid, the first line of each.
        self.released = set()
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.connection.connect(str(path))
        self.connection.sendall(b'{"op":"follow"}\n')
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self):
        with contextlib.suppress(OSError, ValueError):
            for line in self.connection.makefile():
                told = json.loads(line)
                if told.get("kind") == "decision" and told.get("uid"):
                    self.decisions.setdefault(told["uid"], told)
                if told.get("state") == "released":
                    self.released.add(told["uid"])

    def close(self):
        self.connection.close()


def ask(path, op):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(path))
        connection.sendall(json.dumps({"op": op}).encode() + b"\n")
        return json.loads(connection.makefile().readline())


def cost_of(pid):
    """CPU seconds of the process (clock_getcpuclockid(3)), and its resident MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return time.clock_gettime((~pid << 3) | 2), resident / 1024


class Bench:
    def __init__(self, options, directory):
        self.options = options
        self.path = pathlib.Path(directory)
        self.programs = ROOT / "build" / options.preset / "bin"
        self.samples = {}  # By name, state and unit.
        self.hogs = 0
        self.added_at = 0  # When the last pod got its cgroup.
        self.children = []
        self.authority = Authority(self.path)
        self.server = StampedKube(self.authority)
        self.server.tokens = {"secret"}
        (self.path / "token").write_text("secret\n", encoding="ascii")
        for name in ("run", "kube"):
            (self.path / name).mkdir()
        items = json.loads((ROOT / "tests/data/kube/kubelet_pods.json").read_text(encoding="utf-8"))["items"]
        self.template = items[0]
        self.tree = Tree(f"evictd-bench-kube-{os.getpid()}")
        self.socket = self.path / "run/control.sock"
        self.status_socket = self.path / "kube/status.sock"
        self.manifests = self.path / "kube/pods"

    def sample(self, name, state, unit, value):
        self.samples.setdefault((name, state, unit), []).append(round(value, 3))

    def document(self, name, uid, priority):
        """A kubelet's v1.Pod with three containers: real pods have more containers than test pods."""
        pod = dict(copy.deepcopy(self.template), apiVersion="v1", kind="Pod")
        pod["metadata"].update(name=name, uid=uid)
        pod["spec"].update(nodeName="node1", priority=priority)
        for part, key in (("spec", "containers"), ("status", "containerStatuses")):
            first = pod[part].get(key, [])[:1]
            pod[part][key] = [dict(copy.deepcopy(one), name=f"c{number}") for number in range(3) for one in first]
        pod["metadata"]["annotations"] = {f"example.org/annotation-{number}": "x" * 100 for number in range(10)}
        pod["metadata"]["labels"] = {f"example.org/label-{number}": "x" * 20 for number in range(10)}
        return pod

    def add_pod(self, name, priority):
        """Adds a pod: first to the kubelet, then as cgroups."""
        uid = str(uuid.uuid4())
        self.server.put(self.document(name, uid, priority))
        self.added_at = time.monotonic_ns()
        return uid, self.tree.make(f"kubepods/besteffort/pod{uid}/{uuid.uuid4().hex * 2}")

    def run_in(self, directories, *command):
        enter = 'for file; do [ "$file" != -- ] || break; shift; echo $$ >"$file/cgroup.procs"; done; shift; exec "$@"'
        child = subprocess.Popen(["/bin/sh", "-c", enter, "sh", *map(str, directories), "--", *map(str, command)],
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.children.append(child)
        return child

    @contextlib.contextmanager
    def program(self, name, config):
        file = self.path / f"{name}.yaml"
        file.write_text(json.dumps(config), encoding="utf-8")
        with open(self.path / f"{name}.log", "ab") as log:
            process = subprocess.Popen([self.programs / name, "--config", file], stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.terminate()
            process.wait()

    def evictd(self):
        return self.program("evictd", {
            "cgroupRoot": f"/{self.tree.name}", "manifestDirectories": [str(self.manifests)],
            "runtimeDirectory": str(self.path / "run"), "controlSocket": str(self.socket), "eventSource": "bpf",
            "evictionHard": {"allocatableMemory.available": str(LEFT)}, "hardEvictionGracePeriodSeconds": 0,
            "inKernelBrake": "off", "evictionPressureTransitionPeriod": "1s", "maxEvictionsPerMinute": 0})

    def kube(self):
        access = {"url": self.server.url, "caFile": str(self.authority.file), "tokenFile": str(self.path / "token")}
        return self.program("evictd-kube", {
            "nodeName": "node1", "mode": "assist", "podSource": "kubelet", "kubelet": access, "apiServer": access,
            "manifestDirectory": str(self.manifests), "stateDirectory": str(self.path / "queue"),
            "statusSocket": str(self.status_socket), "evictdSocket": str(self.socket)})

    def await_answer(self, path, condition, what):
        def is_so():
            with contextlib.suppress(OSError, ValueError):
                return condition(ask(path, "status"))
            return False

        await_that(is_so, what)

    def rest(self, state, processes):
        before = {name: cost_of(pid) for name, pid in processes.items()}
        time.sleep(self.options.seconds)
        for name, pid in processes.items():
            cpu, resident = cost_of(pid)
            self.sample(f"{name}_cpu", state, "percent of a core", (cpu - before[name][0]) * 100 / self.options.seconds)
            self.sample(f"{name}_resident", state, "MiB", resident)

    def evict_one(self, state, follower):
        self.hogs += 1
        name = f"hog-{self.hogs}"
        uid, directories = self.add_pod(name, 0)
        manifest = self.manifests / f"{uid}.json"
        if state == "beside":
            await_that(manifest.exists, "a manifest", look_seconds=0.001)
            self.sample("new_pod_described", state, "ms", (time.monotonic_ns() - self.added_at) / 1e6)
        else:
            # As a whole.
            written = self.path / "manifest"
            written.write_text(json.dumps(self.document(name, uid, 0)), encoding="utf-8")
            written.rename(manifest)
        hog = self.run_in(directories, self.programs / "evict-load", "memory", "--start", "stdin", "--cap", str(HOG))
        self.await_answer(self.socket, lambda seen: any(
            pod["uid"] == uid and pod["state"] == "active" and pod["origin"] == "manifest" for pod in seen["pods"]),
                          "the pod in evictd")
        hog.communicate(b"\n", PATIENCE_SECONDS)
        if hog.wait(PATIENCE_SECONDS) != -signal.SIGKILL:
            raise RuntimeError(f"{name}: {hog.returncode}")
        timeline = await_that(lambda: follower.decisions.get(uid), "a decision")["timeline"]
        if timeline["hook_ns"]:
            self.sample("detection_to_signal", state, "us", (timeline["first_signal_ns"] - timeline["hook_ns"]) / 1e3)
        await_that(lambda: uid in follower.released, "a release")
        if state == "beside":
            asked_at = await_that(lambda: self.server.asked_at.get(name), "a change")
            self.sample("signal_to_api_call", state, "ms", (asked_at - timeline["signal_ns"]) / 1e6)
            await_that(lambda: uid not in self.server.pods, "the eviction at the API server")
        else:
            self.server.delete(uid)
            manifest.unlink()
        for directory in directories:
            os.rmdir(directory)
            os.rmdir(directory.parent)

    def turn(self, state):
        with contextlib.ExitStack() as stack:
            evictd = stack.enter_context(self.evictd())
            processes = {"evictd": evictd.pid}
            self.await_answer(self.socket, lambda seen: sum(
                pod["state"] == "active" for pod in seen["pods"]) >= self.options.pods, "evictd's pods")
            if state == "beside":
                processes["evictd_kube"] = stack.enter_context(self.kube()).pid
                self.await_answer(self.status_socket, lambda seen: seen["evictd"]["connected"] and
                                  seen["pods"] == self.options.pods, "evictd-kube's pods")
            follower = Follower(self.socket)
            stack.callback(follower.close)
            self.rest(state, processes)
            for _ in range(self.options.trials):
                self.evict_one(state, follower)
            for name, pid in processes.items():
                self.sample(f"{name}_resident_after_evictions", state, "MiB", cost_of(pid)[1])

    def measure(self):
        for number in range(self.options.pods):
            _, directories = self.add_pod(f"idle-{number}", 1000)
            self.run_in(directories, "sleep", "infinity")
        # Its manifests stay after it exits.
        with self.kube():
            await_that(lambda: len(list(self.manifests.glob("*.json"))) == self.options.pods, "the manifests")
        for _ in range(self.options.turns):
            for state in ("alone", "beside"):
                self.turn(state)
                print(f"{state}: done", flush=True)
        if self.server.problems:
            raise RuntimeError(self.server.problems)

    def end(self):
        self.tree.remove()
        for child in self.children:
            child.wait()
        self.server.stop()


def percentile(samples, percent):
    return sorted(samples)[max(math.ceil(percent / 100 * len(samples)), 1) - 1]


def command(*argv):
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def machine():
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    meminfo = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    return {"architecture": platform.machine(),
            "cgroup": "v1" if pathlib.Path("/sys/fs/cgroup/memory").is_dir() else "v2",
            "cpu": next((line.split(": ")[1] for line in cpuinfo.splitlines() if line.startswith("model name")), "?"),
            "cpus": os.cpu_count(), "kernel": platform.release(), "memory": meminfo.splitlines()[0].split(":")[1].strip()}


def report(bench, options):
    rows = []
    for (name, state, unit), samples in bench.samples.items():
        rows.append({"name": name, "params": {"pods": options.pods, "state": state}, "unit": unit, "n": len(samples),
                     "p50": percentile(samples, 50), "p90": percentile(samples, 90), "p99": percentile(samples, 99),
                     "max": max(samples), "samples": samples})
        print(f"{name:34} {state:7} n={len(samples):3} p50={rows[-1]['p50']} max={rows[-1]['max']} {unit}")
    # This file and the results are not part of the measured tree.
    changed = command("git", "status", "--porcelain", "--", "userspace", "bpf", "include", "cmake")
    whole = {"bench": "kube", "machine": machine(), "commit": command("git", "rev-parse", "--short=12", "HEAD") +
             ("-dirty" if changed else ""), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
             "notes": [f"build of the preset {options.preset}; load average of the machine {os.getloadavg()[1]:.1f} "
                       "during the run"], "rows": rows}
    options.out.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release", help="the build that is measured (default: release)")
    parser.add_argument("--pods", type=int, default=110, help="pods at rest (default: 110)")
    parser.add_argument("--seconds", type=int, default=30, help="length of each rest (default: 30)")
    parser.add_argument("--trials", type=int, default=10, help="evictions in each turn (default: 10)")
    parser.add_argument("--turns", type=int, default=3, help="with evictd alone, and with evictd-kube (default: 3 each)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results/kube.json", help="the raw results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evictd-bench-kube-", dir="/dev/shm") as directory:
        bench = Bench(options, directory)
        try:
            bench.measure()
        finally:
            bench.end()
        report(bench, options)


if __name__ == "__main__":
    main()
