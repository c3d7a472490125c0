# SPDX-License-Identifier: Apache-2.0
"""One virtual machine of scripts/vm: boots it, runs commands over a serial port, stops it.

Its folder contains pid, job.sock (the port), console.log (the kernel's messages), tree.ext4 (files for it) and
files.tar (files from it).
"""
import base64
import fcntl
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional

from vm_image import Image, ROOT_PARTITION, VmError, need, run_quietly

BOOT_LIMIT_S = 240
# With systemd, all units start first.
SYSTEMD_BOOT_LIMIT_S = 300
# The guest's extra time after a command's limit to report its end.
ANSWER_LIMIT_S = 20
CONSOLE_LINES = 40
FILES_SIZE = 256 << 20
PROCESSORS = 2
# no_timer_check: on a busy host the emulated timer ticks too late for that check, and 5.10 then panics.
KERNEL_ARGUMENTS = f"root={ROOT_PARTITION} rootwait rw quiet panic=-1 mitigations=off nokaslr no_timer_check"
# Kernel arguments for systemd, which mounts the hierarchies if it is the first process.
CGROUPS = {"v1": "EVICTD_CGROUP=v1 systemd.unified_cgroup_hierarchy=0 systemd.legacy_systemd_cgroup_controller=0",
           "v2": "EVICTD_CGROUP=v2"}


@dataclass(frozen=True)
class Emulator:
    program: str
    package: str
    machine: List[str]
    # The kernel's name of its first serial port.
    console: str
    # The second serial port, on the character device "job"; the guest's first process finds it by the architecture.
    job_port: List[str]


# amd64 without cmpxchg16b: with QEMU 7.2's, most boots of 6.12 panicked in the allocator right after one, with flags
# that no instruction sets. Without it, none of the first six boots did. The kernel works without the instruction.
# arm64 is a cloud processor, with atomic instructions and without pointer authentication, which is slow to emulate.
EMULATORS = {
    "amd64": Emulator("qemu-system-x86_64", "qemu-system-x86",
                      ["-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max,-cx16"], "ttyS0",
                      ["-serial", "chardev:job"]),
    "arm64": Emulator("qemu-system-aarch64", "qemu-system-arm",
                      ["-M", "virt,gic-version=3", "-accel", "tcg,thread=multi", "-cpu", "neoverse-n1"], "ttyAMA0",
                      ["-device", "pci-serial,chardev=job"]),
}


class Hang(VmError):
    """The guest did not answer in time; it has been killed."""


def copy_tree(root: Path, paths: List[str], folder: Path) -> None:
    """Copies files and folders of `root` below `folder`, at the same relative paths."""
    for name in paths:
        named = Path(os.path.normpath(root / name))
        source = named.resolve()
        if not source.exists():
            raise VmError(f"{source} does not exist: nothing to put into the machine")
        if root not in source.parents:
            raise VmError(f"{source} is not below {root}")
        # The target of a link gets the link's name: programs search for a library by it.
        target = folder / (named if root in named.parents else source).relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, copy_function=link_or_copy,
                            ignore=shutil.ignore_patterns("CMakeFiles", "*.cmake", "*.ninja"))
        else:
            link_or_copy(str(source), str(target))


def processors_and_memory(processors: int, nodes: int, memory_mib: int) -> List[str]:
    """Options of a machine with `nodes` NUMA nodes of equal memory; the first nodes have its processors."""
    if nodes == 1:
        return ["-smp", str(processors), "-m", str(memory_mib)]
    memory_mib -= memory_mib % nodes
    options = ["-smp", f"{processors},sockets={processors}", "-m", str(memory_mib)]
    for node in range(nodes):
        options += ["-object", f"memory-backend-ram,id=memory{node},size={memory_mib // nodes}M",
                    "-numa", f"node,nodeid={node},memdev=memory{node}"]
    for processor in range(processors):
        options += ["-numa", f"cpu,node-id={processor % nodes},socket-id={processor}"]
    return options


def link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


class Machine:
    def __init__(self, folder: Path, root: Path):
        self.folder = folder
        self.root = root
        folder.mkdir(parents=True, exist_ok=True)
        # Runs one command at a time for all clients.
        self.lock = open(folder / "lock", "w", encoding="ascii")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.port: Optional[socket.socket] = None
        self.pending = b""

    # What is there.

    def pid(self) -> Optional[int]:
        """Pid of the running emulator; None if there is none."""
        try:
            pid = int((self.folder / "pid").read_text(encoding="ascii"))
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if str(self.folder).encode() in command and b"qemu" in command else None

    def console(self, lines: int = CONSOLE_LINES) -> str:
        try:
            text = (self.folder / "console.log").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "(no console)"
        return "\n".join(text.replace("\r", "").splitlines()[-lines:])

    def is_older_than(self, paths: List[str]) -> bool:
        """Whether any of these files changed after the machine got its copy."""
        packed = (self.folder / "tree.ext4").stat().st_mtime
        files = [self.root / name for name in paths]
        files += [inner for folder in files if folder.is_dir() for inner in folder.iterdir()]
        return any(path.stat().st_mtime > packed for path in files if path.is_file())

    # Begin and end.

    def pack_tree(self, paths: List[str]) -> None:
        """Creates the disk with the files for the machine."""
        staged = self.folder / "tree"
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir()
        copy_tree(self.root, paths, staged)
        kib = sum(path.stat().st_size // 1024 + 8 for path in staged.rglob("*") if not path.is_symlink())
        disk = self.folder / "tree.ext4"
        disk.unlink(missing_ok=True)
        run_quietly(["/usr/sbin/mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-m", "0", "-d", str(staged), str(disk),
                     f"{kib + kib // 8 + 65536}k"], "making the disk with the files for the machine")
        shutil.rmtree(staged)

    def boot(self, image: Image, memory_mib: int, cgroups: str, kernel_arguments: str, nodes: int = 1,
             processors: int = PROCESSORS) -> None:
        """Boots; returns when the guest accepts commands. `cgroups`: one of CGROUPS. Raises Hang if it never does."""
        emulator = EMULATORS[image.architecture]
        need(emulator.program, emulator.package)
        (self.folder / "console.log").write_bytes(b"")
        with open(self.folder / "files.tar", "wb") as files:
            files.truncate(FILES_SIZE)
        command = [emulator.program, *emulator.machine,
                   *processors_and_memory(processors, nodes, memory_mib),
                   "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                   "-daemonize", "-pidfile", str(self.folder / "pid"), "-kernel", str(image.kernel),
                   "-append", f"console={emulator.console} {KERNEL_ARGUMENTS} init={image.first_process} "
                   f"EVICTD_TREE={self.root} {CGROUPS[cgroups]} {kernel_arguments}",
                   "-chardev", f"file,id=console,path={self.folder}/console.log", "-serial", "chardev:console",
                   "-chardev", "socket,id=job,path=job.sock,server=on,wait=off", *emulator.job_port]
        # The guest finds its disks by their serial numbers.
        for name, disk, snapshot in (("root", image.disk, "on"), ("tree", self.folder / "tree.ext4", "on"),
                                     ("files", self.folder / "files.tar", "off")):
            command += ["-drive", f"file={disk},format=raw,if=none,id={name},snapshot={snapshot}",
                        "-device", f"nvme,drive={name},serial={name}"]
        # The path of a socket must be short, so both sides name it relative to its folder.
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode != 0:
            raise VmError(f"{emulator.program} failed:\n{done.stdout.strip()}")
        self.connect()
        limit_s = SYSTEMD_BOOT_LIMIT_S if image.first_process.endswith("systemd") else BOOT_LIMIT_S
        self.wait_for_line(b"evictd-vm ready", limit_s, f"did not boot within {limit_s} s")

    def kill(self) -> None:
        pid = self.pid()
        if pid is not None:
            ended = os.pidfd_open(pid)
            os.kill(pid, signal.SIGKILL)
            select.select([ended], [], [], 10)
            os.close(ended)
        (self.folder / "pid").unlink(missing_ok=True)
        self.port = None

    # Commands.

    def connect(self) -> None:
        if self.port is not None:
            return
        folder = os.open(self.folder, os.O_PATH | os.O_DIRECTORY)
        try:
            self.port = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.port.connect(f"/proc/self/fd/{folder}/job.sock")
        finally:
            os.close(folder)

    def receive(self, deadline: float, what: str) -> None:
        """Waits for more output of the guest; kills it if there is none."""
        ready, _, _ = select.select([self.port], [], [], max(0.0, deadline - time.monotonic()))
        more = self.port.recv(65536) if ready else b""
        if not more:
            why = what if not ready else "ended by itself"
            console = self.console()
            self.kill()
            raise Hang(f"the machine {why}; it has been killed. The end of its console:\n{console}")
        self.pending += more

    def wait_for_line(self, line: bytes, limit_s: float, what: str, sink=None) -> bytes:
        """Reads up to a line that begins with `line` and returns its rest; passes earlier output to `sink`."""
        deadline = time.monotonic() + limit_s
        mark = b"\n" + line
        self.pending = b"\n" + self.pending
        first = True
        while True:
            at = self.pending.find(mark)
            end = self.pending.find(b"\n", at + 1) if at >= 0 else -1
            # The last bytes may be the beginning of the mark.
            safe = at if at >= 0 else max(0, len(self.pending) - len(mark))
            if sink is not None and safe > 0:
                sink(self.pending[1 if first else 0:safe])
                first = False
            if end >= 0:
                rest = self.pending[at + len(mark):end]
                self.pending = self.pending[end + 1:]
                return rest
            self.pending = self.pending[safe:]
            self.receive(deadline, what)

    def request(self, limit: str, command: str = "") -> bytes:
        self.connect()
        name = secrets.token_hex(8).encode()
        self.port.sendall(name + f" {limit} ".encode() + base64.b64encode(command.encode()) + b"\n")
        return name

    def execute(self, command: str, limit_s: int, sink) -> int:
        """Runs a shell command and passes its output to `sink`. Returns its exit status; 124 if it took too long."""
        name = self.request(str(limit_s), command)
        self.wait_for_line(name + b" begin", ANSWER_LIMIT_S, "does not take commands")
        status = self.wait_for_line(name + b" end", limit_s + ANSWER_LIMIT_S,
                                    f"did not end a command within {limit_s} s", sink)
        return int(status)

    def fetch_files(self, folder: Path) -> None:
        """Copies the guest's /run/out to `folder`."""
        name = self.request("files")
        status = int(self.wait_for_line(name + b" end", 120, "did not hand out its files within 120 s"))
        if status != 0:
            raise VmError(f"the files in /run/out of the machine do not fit {FILES_SIZE >> 20} MiB")
        self.unpack_files(folder)

    def unpack_files(self, folder: Path) -> None:
        """Copies the files that the guest has handed out so far, if any, to `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        run_quietly(["tar", "-xf", str(self.folder / "files.tar"), "-C", str(folder)], "unpacking the machine's files")

    def shell(self) -> None:
        """Connects the terminal to a shell in the guest until it exits."""
        self.request("shell")
        # Only after its first output: earlier input is lost while its terminal is set up.
        inputs: list = [self.port]
        while True:
            ready, _, _ = select.select(inputs, [], [])
            if self.port in ready:
                try:
                    more = self.port.recv(65536)
                except ConnectionResetError:
                    more = b""
                if not more:
                    return
                os.write(1, more)
                inputs = inputs if len(inputs) == 2 else [self.port, sys.stdin]
            if sys.stdin in ready:
                typed = os.read(0, 4096)
                self.port.sendall(typed or b"\x04")
                if not typed:
                    inputs = [self.port, self.port]
