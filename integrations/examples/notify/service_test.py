# SPDX-License-Identifier: Apache-2.0
"""The examples and `evictctl listen` with the real evictd and a cgroup of their own. Needs root.

Of the socket's protocol this file knows the question for the number of registrations alone: what the programs and
evictd say to each other is their own.
"""
import contextlib
import errno
import itertools
import os
import pathlib
import queue
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from dataclasses import dataclass
from typing import Callable, List

from fake_server import HELLO, MAGIC, PATIENCE

STATUS = 5
REMOVED = "The cgroup seems to have removed."
# MiB: crossed before evictd is killed, after it has come back, and never.
EARLY, LATE, NEVER = 48, 128, 1000


def memory_hierarchy():
    """Where memory is counted, and whether that is cgroup v1."""
    unified = None
    for line in pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, mount, kind, options = line.split()[:4]
        if kind == "cgroup" and "memory" in options.split(","):
            return pathlib.Path(mount), True
        if kind == "cgroup2":
            unified = pathlib.Path(mount)
    return unified, False


def remove_cgroup(directory):
    # EBUSY for a moment after its last process was reaped.
    for _ in range(1_000_000):
        try:
            directory.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
    raise AssertionError(f"{directory} stays busy")


class Lines:
    """What somebody says, a line at a time, put there by another thread; None is the end."""

    def __init__(self, name):
        self.name = name
        self.said = []
        self.queue = queue.Queue()

    def next(self):
        try:
            line = self.queue.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"{self.name} said no more than {self.said}") from None
        if line is not None:
            self.said.append(line)
        return line

    def rest(self):
        """All up to the end."""
        return list(iter(self.next, None))


class Program(Lines):
    """A process in a session of its own, and what it prints. Killed at the end of the test."""

    def __init__(self, test, *command, **options):
        words = [str(word) for word in command]
        super().__init__(" ".join(words))
        # It dies with this process, however that ends.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            start_new_session=True, **options)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        test.addCleanup(self.end)

    def read(self):
        for line in self.process.stdout:
            self.queue.put(line.rstrip("\n"))
        self.queue.put(None)

    def end(self):
        # With its session, because a shell has children.
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class KernelsListener(Lines):
    """One process in place of a cgroup_event_listener for each of these arguments, in MiB; cgroup v1."""

    def __init__(self, cgroup, arguments):
        super().__init__("the kernel's listener")
        self.cgroup = cgroup
        self.control = cgroup / "cgroup.event_control"
        self.arguments = {}
        usage = os.open(cgroup / "memory.usage_in_bytes", os.O_RDONLY)
        try:
            for argument in arguments:
                eventfd = os.eventfd(0)
                self.arguments[eventfd] = argument
                self.control.write_text(f"{eventfd} {usage} {argument << 20}", encoding="ascii")
        finally:
            os.close(usage)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        poll = select.poll()
        for eventfd in self.arguments:
            poll.register(eventfd, select.POLLIN)
        while True:
            for eventfd, _ in poll.poll():
                os.eventfd_read(eventfd)
                if not self.control.exists():
                    self.end()
                    return
                self.queue.put(f"{self.cgroup} {self.arguments[eventfd]}M: crossed")

    def end(self):
        for eventfd in self.arguments:
            os.close(eventfd)
        self.queue.put(REMOVED)
        self.queue.put(None)


@dataclass
class User:
    """A program that listens to a threshold in MiB: its command, and patterns of what it says."""

    command: Callable[[int], List]
    crossing: Callable[[int], str]
    gap: Callable[[int], str]
    removal: str
    greeting: str = ""


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="evictd-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        mount, self.is_v1 = memory_hierarchy()
        self.cgroup = mount / f"evictd-test-{os.getpid()}-listeners"
        self.cgroup.mkdir()
        self.addCleanup(remove_cgroup, self.cgroup)
        self.loads = []
        self.ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.ready.close)
        self.ready.bind(str(self.folder / "ready"))
        self.ready.settimeout(PATIENCE)
        self.socket = self.folder / "notify.sock"
        self.start_evictd()

    def start_evictd(self):
        self.evictd = Program(self, os.environ["EVICTD"], "--notify-only", "--notify-socket", self.socket,
                              env={**os.environ, "NOTIFY_SOCKET": str(self.folder / "ready")})
        while b"READY=1" not in self.ready.recv(4096):
            pass

    def start_load(self, mebibytes):
        load = Program(self, os.environ["EVICT_LOAD"], "memory", "--cgroup", self.cgroup, "--cap", f"{mebibytes}Mi")
        self.loads.append(load)
        return load

    def remove_cgroup(self):
        for load in self.loads:
            load.end()
        remove_cgroup(self.cgroup)

    def await_registrations(self, wanted, *programs):
        """evictd tells nobody of the registrations of others: it is asked until it has those of these programs."""
        give_up = time.monotonic() + PATIENCE
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(self.socket))
            connection.send(struct.pack("=IIQII", MAGIC, HELLO, 1, 1, 0))
            connection.recv(128)
            for program in itertools.cycle(programs):
                connection.send(struct.pack("=IIQ", MAGIC, STATUS, 2))
                error, _, _, found = struct.unpack_from("=iIII", connection.recv(128), 16)
                self.assertEqual(error, 0)
                if found == wanted:
                    return
                self.assertLess(time.monotonic(), give_up, f"{found} registrations, not {wanted}")
                # Whoever has ended will not register; and those that are starting get the CPU meanwhile.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.fail(f"{program.name} ended with {program.process.wait(timeout=0.01)}")

    def expect(self, program, pattern):
        line = program.next()
        self.assertIsNotNone(line, f"{program.name} has ended after {program.said}")
        self.assertRegex(line, f"^{pattern}$", program.name)

    def expect_end(self, program):
        self.assertEqual(program.process.wait(timeout=PATIENCE), 0, program.name)

    def listened_to(self):
        return self.cgroup / "memory.usage_in_bytes" if self.is_v1 else self.cgroup

    def users(self):
        path, plain = self.cgroup, re.escape(str(self.cgroup))

        def in_bytes(mebibytes):
            return f"{plain} {mebibytes << 20}: crossed"

        def with_usage(mebibytes):
            return in_bytes(mebibytes) + r", usage is \d+"

        def as_given(mebibytes):
            return f"{plain} {mebibytes}M: crossed"

        def go_command(mebibytes):
            # It does not look whether the cgroup is still there, so one ends after so many events.
            events = ["-events", 2] if mebibytes == NEVER else []
            return [os.environ["EXAMPLE_GO"], "-socket", self.socket, *events, path, mebibytes << 20]

        listen_sh = pathlib.Path(__file__).resolve().parent / "listen.sh"
        listen = [os.environ["EVICTCTL"], "listen", "--socket", self.socket, self.listened_to()]
        return {
            "C": User(command=lambda mib: [os.environ["EXAMPLE_C"], path, mib << 20, self.socket],
                      crossing=lambda _: r"crossed \d+", gap=lambda _: "crossed 1", removal="removed",
                      greeting="listening"),
            "Go": User(command=go_command, crossing=in_bytes, gap=in_bytes, removal=in_bytes(NEVER),
                       greeting="listening"),
            "shell": User(command=lambda mib: [listen_sh, path, mib << 20, self.socket], crossing=with_usage,
                          gap=with_usage, removal=re.escape(REMOVED) + ", usage is unknown"),
            "evictctl": User(command=lambda mib: [*listen, f"{mib}M"], crossing=as_given, gap=as_given,
                             removal=re.escape(REMOVED)),
        }

    def start(self, user, mebibytes):
        program = Program(self, *user.command(mebibytes))
        if user.greeting:
            self.expect(program, user.greeting)
        return program

    def test_c_go_shell_and_evictctl_are_told_of_crossings_of_one_gap_and_of_the_removal(self):
        users = self.users()
        early, late, never = ({name: self.start(user, threshold) for name, user in users.items()}
                              for threshold in (EARLY, LATE, NEVER))
        programs = [*early.values(), *late.values(), *never.values()]
        self.await_registrations(len(programs), *programs)
        self.start_load(64)
        for name, user in users.items():
            self.expect(early[name], user.crossing(EARLY))

        self.evictd.end()
        self.start_evictd()
        for name, user in users.items():
            self.expect(late[name], user.gap(LATE))
            self.expect(never[name], user.gap(NEVER))
        self.await_registrations(len(programs), *programs)
        self.start_load(128)
        for name, user in users.items():
            self.expect(late[name], user.crossing(LATE))
            # Of the gap it was told once.
            self.assertTrue(never[name].queue.empty(), never[name].name)

        self.remove_cgroup()
        for name, user in users.items():
            self.expect(never[name], user.removal)
            self.assertEqual(never[name].rest(), [], never[name].name)
            self.expect_end(never[name])
        for name in users.keys() - {"Go"}:
            # Before it they are told of the end of the loads.
            for program in (early[name], late[name]):
                program.rest()
                self.assertRegex(program.said[-1], f"^{users[name].removal}$", program.name)
                self.expect_end(program)

    def test_evictctl_says_what_the_kernels_listener_says(self):
        # Each load is 64 MiB; between a threshold and usage before and after it there are at least 16.
        arguments = [48, 112, 176]
        lines = {argument: f"{self.cgroup} {argument}M: crossed" for argument in arguments}
        ours = Program(self, os.environ["EVICTCTL"], "listen", "--socket", self.socket, self.listened_to(),
                       *(f"{argument}M" for argument in arguments))
        self.await_registrations(len(arguments), ours)
        # Cgroup v2 has no such listener; there the words are known all the same.
        sides = [ours, KernelsListener(self.cgroup, arguments)] if self.is_v1 else [ours]

        for argument in arguments:
            self.start_load(64)
            self.await_line(sides, lines[argument])
        for argument, load in zip(reversed(arguments), reversed(self.loads)):
            load.end()
            self.await_line(sides, lines[argument])
        self.remove_cgroup()
        for side in sides:
            side.rest()
            # Usage itself may go back and forth by a charge batch: one crossing is one line or more in a row.
            crossed = [line for line, _ in itertools.groupby(side.said)]
            self.assertEqual(crossed, [lines[48], lines[112], lines[176], lines[112], lines[48], REMOVED], side.name)
        self.expect_end(ours)

    def await_line(self, sides, wanted):
        for side in sides:
            line = side.next()
            while line != wanted:
                self.assertIsNotNone(line, f"{side.name} has ended after {side.said}")
                line = side.next()


if __name__ == "__main__":
    unittest.main()
