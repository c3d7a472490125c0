#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What evictd loses without each capability and each system call that its unit leaves it.

usage: privileges_test.py BUILD CASE...

A case is a row of ROWS by name, which is played twice by the real evictd as root with the capabilities of the unit:
with all of them, and without the one. `unit` is that the unit names nothing that has no row, `limits` what it has by
limits, `without_sys_admin` an eviction with the drop-in of that name. Exit status 77: one cannot be played here.
"""
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DROP_IN = ROOT / "deploy/evictd.service.d/without-sys-admin.conf"
SKIPPED = 77
# Only a failure waits so long.
PATIENCE = 280
MIB = 1 << 20
NOBODY = 65534
# The numbers of x86_64; those from 424 on are the same everywhere.
CALLS = {"bpf": 321, "perf_event_open": 298, "quotactl": 179, "quotactl_fd": 443, "process_mrelease": 448}
LIBC = ctypes.CDLL(None, use_errno=True)


class NotHere(Exception):
    """Why a case cannot be played on this machine."""


def words_of(file, key):
    """What a unit or a drop-in sets `key` to, without a "~" in front."""
    found = re.findall(rf"^{key}=~?(.*)$", Path(file).read_text(encoding="utf-8"), re.MULTILINE)
    return set(found[-1].split())


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def launcher(build, capabilities, refused):
    """Runs a program as root with these capabilities and no other, and without these system calls."""
    names = "".join(",+" + name[len("CAP_"):].lower() for name in sorted(capabilities))
    calls = [str(CALLS[call]) for call in sorted(refused)]
    return ["setpriv", "--inh-caps=-all", f"--bounding-set=-all{names}", build / "tests/refuse_calls", *calls, "--"]


def sleep():
    while True:
        signal.pause()


def grow_on_signal():
    """Takes memory without an end once SIGUSR1 is there, which is blocked."""
    signal.sigwait({signal.SIGUSR1})
    held = []
    while True:
        held.append(b"x" * MIB)


class Child:
    """A process of the test: it does `work`, which may be to become somebody else, and `then` what has no end."""

    def __init__(self, work=lambda: None, then=sleep):
        done, write_end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
                work()
                os.write(write_end, b"y")
                then()
            finally:
                os._exit(1)
        os.close(write_end)
        require(os.read(done, 1) == b"y", "the child could not do its work")
        os.close(done)

    def ended_by(self, number):
        end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return end is not None and end.si_status == number

    def stop_before_its_end(self):
        """From now on it stops where it would give its memory back (PTRACE_O_TRACEEXIT), until clear()."""
        seize, trace_exit = 0x4206, 0x40
        require(LIBC.ptrace(seize, self.pid, None, ctypes.c_void_p(trace_exit)) == 0, "it cannot be traced")

    def clear(self):
        os.kill(self.pid, signal.SIGKILL)
        while os.WIFSTOPPED(os.waitpid(self.pid, 0)[1]):
            LIBC.ptrace(7, self.pid, None, None)  # PTRACE_CONT


class Arena:
    """A private tree of cgroups, and an evictd on it. All of it is gone afterwards."""

    def __init__(self, build, prefix):
        self.build = build
        self.prefix = prefix
        self.directory = Path(tempfile.mkdtemp(prefix="evictd-privileges-"))
        (self.directory / "pods").mkdir()
        self.name = self.directory.name
        v2 = Path("/sys/fs/cgroup/cgroup.controllers").exists()
        self.mounts = [Path("/sys/fs/cgroup")] if v2 else [Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup/pids")]
        self.limit_file = "memory.max" if v2 else "memory.limit_in_bytes"
        self.pods_root = self.make("")
        self.children = []
        self.daemon = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait(PATIENCE)
        for child in self.children:
            child.clear()
        for mount in self.mounts:
            for folder, _, _ in os.walk(mount / self.name, topdown=False):
                os.rmdir(folder)
        shutil.rmtree(self.directory)

    def make(self, below):
        """The directories of a cgroup below the pod root, one a hierarchy."""
        made = []
        for mount in self.mounts:
            folder = mount
            for part in ("", *f"{self.name}/kubepods/{below}".split("/")):
                folder = folder / part
                folder.mkdir(exist_ok=True)
                control = folder / "cgroup.subtree_control"
                if control.exists():
                    control.write_text("+memory +pids", encoding="utf-8")
            made.append(folder)
        return made

    def add_pod(self, child=None):
        uid = str(uuid.uuid4())
        pod = self.make(f"besteffort/pod{uid}")
        container = []
        for folder in pod:
            # No domain of v2 has processes beside controllers for its children.
            container.append(folder / uid.replace("-", ""))
            container[-1].mkdir()
        manifest = {"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": "pod", "namespace": "default", "uid": uid,
                                 "annotations": {"kubernetes.io/config.source": "api"}},
                    "spec": {"containers": [{"name": "main", "image": "x"}],
                             "volumes": [{"name": "data", "emptyDir": {}}]},
                    "status": {"phase": "Running", "qosClass": "BestEffort"}}
        (self.directory / "pods/pod.json").write_text(json.dumps(manifest), encoding="utf-8")
        if child:
            self.children.append(child)
            for folder in container:
                (folder / "cgroup.procs").write_text(str(child.pid), encoding="utf-8")
        return uid, pod, container

    def limit(self, file, value):
        (self.pods_root[-1 if file.startswith("pids") else 0] / file).write_text(str(value), encoding="utf-8")

    def start(self, **more):
        """evictd, once it is ready."""
        config = {"cgroupRoot": "/" + self.name, "manifestDirectories": [str(self.directory / "pods")],
                  "runtimeDirectory": str(self.directory), "eventSource": "poll", "pollInterval": "50ms",
                  "evictionHard": {}, **more}
        (self.directory / "evictd.yaml").write_text(json.dumps(config), encoding="utf-8")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready, \
                open(self.directory / "log", "wb") as log:
            path = str(self.directory / "ready.sock")
            ready.bind(path)
            ready.settimeout(PATIENCE)
            self.daemon = subprocess.Popen(
                [*self.prefix, self.build / "bin/evictd", "--config", self.directory / "evictd.yaml"],
                stdout=log, stderr=log, env={**os.environ, "NOTIFY_SOCKET": path})
            while b"READY=1" not in ready.recv(4096).split(b"\n"):
                pass

    def log(self):
        return (self.directory / "log").read_text(encoding="utf-8")

    def ask(self, what):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
            control.settimeout(PATIENCE)
            control.connect(str(self.directory / "control.sock"))
            with control.makefile("rw", encoding="utf-8") as lines:
                lines.write(json.dumps({"op": what}) + "\n")
                lines.flush()
                return json.loads(lines.readline())

    def await_answer(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.ask(what)
            if condition(answer):
                return answer
            require(time.monotonic() < deadline, f"never so: {json.dumps(answer)}\n{self.log()}")
            # Between two questions; the next answer is what counts.
            time.sleep(0.01)

    def await_status(self, condition):
        return self.await_answer("status", condition)


def actuator(status):
    return status["counters"]["actuator"]


def events_come_from_the_kernel(arena):
    arena.start(eventSource="auto")
    return arena.ask("status")["event_source"] == "bpf"


def a_kprobe_is_attached(arena):
    if not Path("/sys/bus/event_source/devices/kprobe").exists():
        raise NotHere("the kernel has no kprobes")
    arena.start(eventSource="auto", attachPins={"memory-charge": "kprobe"})
    return arena.ask("status")["hooks"]["memory-charge"] == "kprobe"


def short_of_memory(arena, **more):
    """An evictd to which the memory of the pod root is short from the start."""
    arena.limit(arena.limit_file, 128 * MIB)
    arena.start(evictionHard={"allocatableMemory.available": str(128 * MIB)}, **more)


def a_pod_of_another_user_is_signalled(arena):
    child = Child(lambda: os.setresuid(NOBODY, NOBODY, NOBODY))
    arena.add_pod(child)
    # Without a grace the kernel itself kills on cgroup v2.
    short_of_memory(arena, hardEvictionGracePeriodSeconds=600)
    arena.await_status(lambda now: child.ended_by(signal.SIGTERM) or actuator(now)["failed_calls"] > 0)
    return child.ended_by(signal.SIGTERM)


def memory_of_a_killed_process_is_freed(arena):
    child = Child()
    arena.add_pod(child)
    child.stop_before_its_end()
    short_of_memory(arena, hardEvictionGracePeriodSeconds=0)
    freed, refused = "processes_released_by_us", "processes_not_released_by_us"
    seen = arena.await_status(lambda now: actuator(now)[freed] + actuator(now)[refused] > 0)
    return actuator(seen)[freed] > 0


def a_cgroup_of_another_user_is_kept_from_forking(arena):
    _, pod, _ = arena.add_pod(Child())
    os.chown(pod[-1] / "pids.max", NOBODY, NOBODY)
    arena.limit("pids.max", 10)
    arena.start(evictionHard={"pid.available": "10"}, pidAvailableSource="podRoot", hardEvictionGracePeriodSeconds=600)
    seen = arena.await_status(lambda now: actuator(now)["tasks_held"] + actuator(now)["tasks_not_held"] > 0)
    return actuator(seen)["tasks_held"] > 0


def listen_and_close(path, cgroup, signal_number, instead=None):
    """Registers an eventfd (docs/notify_protocol.md), closes it with `instead` in its place, keeps the connection."""
    magic, hello, register = 0x746E7665, 1, 2
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(path)
    connection.send(struct.pack("=IIQII", magic, hello, 1, 1, 0))
    require(struct.unpack_from("=i", connection.recv(256), 16)[0] == 0, "HELLO failed")
    eventfd = LIBC.eventfd(0, os.O_CLOEXEC)
    folder = os.open(cgroup, os.O_RDONLY | os.O_DIRECTORY)
    packet = struct.pack("=IIQIIIIQQiI", magic, register, 2, signal_number, 0, 0, 0, 1 << 40, 0, eventfd, 0)
    socket.send_fds(connection, [packet], [eventfd, folder])
    error = struct.unpack_from("=i", connection.recv(256), 16)[0]
    os.close(eventfd)
    if instead is not None:
        os.dup2(instead, eventfd)
    os.close(folder)
    require(error == 0, f"REGISTER: {os.strerror(error)}")
    return connection


def another_file_in_place_of_an_eventfd_is_seen(arena):
    """This process has capabilities that evictd lacks. The child closes its own later and leaves its number free, which
    anybody may see: the look that finds that one was at both, or evictd may not look at the files of this process."""
    path = str(arena.directory / "notify.sock")
    usage, working_set = 0, 2
    arena.start(notifySocket=path)
    ours = listen_and_close(path, arena.pods_root[0], usage, instead=sys.stdout.fileno())

    kept = []
    arena.children.append(Child(lambda: kept.append(listen_and_close(path, arena.pods_root[0], working_set))))
    seen = arena.await_status(lambda now: now["notify"]["closed"] > 0
                              and now["notify"]["registrations_by_signal"]["working_set"] == 0)
    ours.close()
    return seen["notify"]["registrations_by_signal"]["usage"] == 0


def free_swap_is_known(arena):
    if "EVICTD_VM" not in os.environ:
        raise NotHere("changes the swap of the machine")
    device = Path("/sys/block/zram0")
    (device / "reset").write_text("1", encoding="utf-8")
    (device / "disksize").write_text(str(256 * MIB), encoding="utf-8")
    subprocess.run(["mkswap", "/dev/zram0"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["swapon", "/dev/zram0"], check=True)
    try:
        arena.start(eventSource="bpf", evictionHard={"memory.available": "1Mi"})
        seen = arena.await_status(lambda now: isinstance(now["oom_guard"]["left"], int))
        return seen["oom_guard"]["watched_by_kernel"]
    finally:
        subprocess.run(["swapoff", "/dev/zram0"], check=True)


def a_volume_is_asked_for_its_quota(arena):
    image, disk = arena.directory / "image", arena.directory / "disk"
    disk.mkdir()
    with open(image, "wb") as file:
        file.truncate(64 * MIB)
    subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", "-O", "quota,project", "-E", "quotatype=prjquota", image],
                   check=True)
    if subprocess.run(["mount", "-o", "loop,prjquota", image, disk], check=False, stderr=subprocess.DEVNULL).returncode:
        raise NotHere("the kernel refuses project quotas")
    try:
        child = Child()
        uid, _, _ = arena.add_pod(child)
        volume = disk / "kubelet/pods" / uid / "volumes/kubernetes.io~empty-dir/data"
        volume.mkdir(parents=True)
        subprocess.run(["chattr", "-p", "1048577", "+P", volume], check=True)
        (volume / "file").write_bytes(bytes(MIB))
        places = {key: str(disk) for key in ("nodefsPath", "imagefsPath", "containerfsPath")}
        arena.start(kubeletRootDirectory=str(disk / "kubelet"), podLogsDir=str(disk / "logs"),
                    podStorage={"interval": "100ms"}, **places)
        seen = arena.await_status(lambda now: any(pod["storage"] for pod in now["pods"]))
        arena.daemon.terminate()
        arena.daemon.wait(PATIENCE)
        return seen["pods"][0]["storage"]["method"] == "quota"
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


@dataclass
class Row:
    """A capability, or a system call, with what does not work without it."""
    works: object
    # What is taken away in both runs, because it would do as well.
    without: tuple = ()
    refused: tuple = ()


ROWS = {
    # The kernel takes CAP_SYS_ADMIN for these two.
    "CAP_BPF": Row(events_come_from_the_kernel, without=("CAP_SYS_ADMIN",)),
    "CAP_PERFMON": Row(events_come_from_the_kernel, without=("CAP_SYS_ADMIN",)),
    # The unit leaves no node of a device, by which alone quotactl asks.
    "CAP_SYS_ADMIN": Row(a_volume_is_asked_for_its_quota, refused=("quotactl",)),
    "CAP_KILL": Row(a_pod_of_another_user_is_signalled),
    "CAP_SYS_PTRACE": Row(another_file_in_place_of_an_eventfd_is_seen),
    "CAP_SYSLOG": Row(free_swap_is_known),
    "CAP_DAC_OVERRIDE": Row(a_cgroup_of_another_user_is_kept_from_forking),
    "bpf": Row(events_come_from_the_kernel),
    "perf_event_open": Row(a_kprobe_is_attached),
    "process_mrelease": Row(memory_of_a_killed_process_is_freed),
    "quotactl_fd": Row(a_volume_is_asked_for_its_quota, refused=("quotactl",)),
}


class Cases:
    def __init__(self, build):
        self.build = build
        self.unit = build / "deploy/evictd.service"
        self.capabilities = words_of(self.unit, "CapabilityBoundingSet")

    def play(self, row, capabilities, refused):
        prefix = launcher(self.build, capabilities, refused)
        with Arena(self.build, prefix) as arena:
            return row.works(arena)

    def doctor_misses(self, capabilities):
        doctor = [self.build / "bin/evictctl", "doctor", "--json"]
        done = subprocess.run([*launcher(self.build, capabilities, ()), *doctor],
                              stdout=subprocess.PIPE, check=False)
        return {one["name"] for one in json.loads(done.stdout)["privileges"] if one["present"] is False}

    def row(self, name):
        row = ROWS[name]
        capabilities = self.capabilities - set(row.without)
        require(self.play(row, capabilities, row.refused), f"{row.works.__name__}: not even with {name}")
        if name.startswith("CAP_"):
            require(not self.play(row, capabilities - {name}, row.refused), f"nothing is lost without {name}")
            require(name in self.doctor_misses(capabilities - {name}), f"doctor does not miss {name}")
        else:
            require(not self.play(row, capabilities, (*row.refused, name)), f"nothing is lost without {name}")

    def names_nothing_that_has_no_row(self):
        named = self.capabilities | words_of(self.unit, "SystemCallFilter") - {"@system-service"}
        require(named == set(ROWS), f"in the unit or in ROWS alone: {named ^ set(ROWS)}")

    def has_priority_and_locked_memory_by_limits(self):
        limits = {key: words_of(self.unit, key).pop() for key in ("LimitMEMLOCK", "LimitRTPRIO")}
        numbers = {key: -1 if word == "infinity" else int(word) for key, word in limits.items()}
        own = {resource.RLIMIT_MEMLOCK: numbers["LimitMEMLOCK"], resource.RLIMIT_RTPRIO: numbers["LimitRTPRIO"]}
        try:
            for limit, number in own.items():
                resource.setrlimit(limit, (number, number))
        except ValueError as error:
            raise NotHere("root may not raise its limits") from error
        with Arena(self.build, launcher(self.build, self.capabilities, ())) as arena:
            arena.start(realtime={"priority": numbers["LimitRTPRIO"]})
            status = arena.ask("status")
            require(status["realtime"] and status["memory_locked"], arena.log())

    def evicts_by_a_push_without_sys_admin(self):
        capabilities = self.capabilities - words_of(DROP_IN, "CapabilityBoundingSet")
        require("CAP_SYS_ADMIN" not in capabilities, "the drop-in leaves it")
        refused = words_of(DROP_IN, "SystemCallFilter") | {"quotactl"}
        with Arena(self.build, launcher(self.build, capabilities, refused)) as arena:
            hog = Child(then=grow_on_signal)
            uid, _, _ = arena.add_pod(hog)
            arena.limit(arena.limit_file, 128 * MIB)
            arena.start(eventSource="bpf", pollInterval="1h", hardEvictionGracePeriodSeconds=0,
                        evictionHard={"allocatableMemory.available": str(64 * MIB)})
            require(arena.ask("status")["event_source"] == "bpf", arena.log())
            os.kill(hog.pid, signal.SIGUSR1)
            records = arena.await_answer("last_evictions", lambda all_of_them: all_of_them)
            arena.await_status(lambda _: hog.ended_by(signal.SIGKILL))
            require(records[0]["uid"] == uid and records[0]["trigger"] in ("crossing", "approach"), str(records))

    def run(self, case):
        others = {"unit": self.names_nothing_that_has_no_row, "limits": self.has_priority_and_locked_memory_by_limits,
                  "without_sys_admin": self.evicts_by_a_push_without_sys_admin}
        others.get(case, lambda: self.row(case))()


def main():
    cases = Cases(Path(sys.argv[1]).resolve())
    skipped = failed = False
    for case in sys.argv[2:]:
        try:
            cases.run(case)
            print(f"{case}: as it should be", flush=True)
        except NotHere as why:
            skipped = True
            print(f"{case}: skipped: {why}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as why:
            failed = True
            print(f"{case}: {type(why).__name__}: {why}", flush=True)
    return 1 if failed else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
