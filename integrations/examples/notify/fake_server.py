# SPDX-License-Identifier: Apache-2.0
"""A notification socket (docs/notify_protocol.md) that fires when a test says so."""
import errno
import itertools
import os
import queue
import socket
import struct
import threading

MAGIC = 0x746E7665
REPLY = 0x80000000
HELLO, REGISTER, UNREGISTER, LIST = 1, 2, 3, 4
PATIENCE = 60  # Seconds; only a broken program waits so long.


class FakeServer:
    """Serves at `path` until close(); registrations, counted from 1, arrive in `registered`."""

    def __init__(self, path, refusal=0):
        self.refusal = refusal
        self.numbers = itertools.count(1)
        self.ended = set()  # Numbers of registrations that there are no more.
        self.before_state = lambda: None  # What happens before a registration's state is told.
        self.registered = queue.Queue()
        self.connections = []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        hidden = f"{path}.new"
        self.listener.bind(hidden)
        self.listener.listen()
        os.rename(hidden, path)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            while True:
                packet, fds, _, _ = socket.recv_fds(connection, 128, 2)
                if not packet:
                    return
                connection.send(self.answer(packet))
                # Only now: who hears of a registration may end the server at once.
                if fds and not self.refusal:
                    self.registered.put(Registration(packet, *fds))
        except OSError:
            return

    def answer(self, packet):
        _, kind, request_id = struct.unpack_from("=IIQ", packet)
        head = struct.pack("=IIQ", MAGIC, kind | REPLY, request_id)
        if kind == HELLO:
            return head + struct.pack("=iIQIIII", 0, 1, 1, 0, 0x7F, 1000, 0)
        if kind == REGISTER:
            number = 0 if self.refusal else next(self.numbers)
            return head + struct.pack("=iIQQ", self.refusal, 0, number, 0)
        if kind == LIST:
            (after,) = struct.unpack_from("=Q", packet, 16)
            self.before_state()
            error = errno.ENOENT if after + 1 in self.ended else 0
            return head + struct.pack("=iIQQIIIIQQQQ", error, 0, after + 1, *[0] * 9)
        return head + struct.pack("=iI", 0, 0)

    def next(self):
        return self.registered.get(timeout=PATIENCE)

    def close(self):
        # shutdown() wakes accept() and recv() in their threads; close() alone does not.
        for end in [self.listener, *self.connections]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class Registration:
    def __init__(self, packet, eventfd, cgroup):
        fields = struct.unpack_from("=IIIIQQiI", packet, 16)
        self.signal, self.unit, self.direction, self.mode, self.threshold, self.hysteresis = fields[:6]
        self.eventfd = eventfd
        self.cgroup = cgroup

    def fire(self, times=1):
        os.write(self.eventfd, struct.pack("=Q", times))
