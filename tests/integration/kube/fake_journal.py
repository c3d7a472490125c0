# SPDX-License-Identifier: Apache-2.0
"""evictd's control socket and its journal, for those that follow it from a cursor."""
import json
import os
import socket
import threading


def decision(number, uid, name, **more):
    """The record of an eviction that was begun, as evictd writes it; `number` is its id."""
    message = (f"The node was low on resource: memory. Threshold quantity: 100Mi, available: {number}Ki. Container c "
               "was using 4435748Ki, request is 0, has larger consumption of memory. ")
    return {"schema": 1, "kind": "decision", "id": number, "time": "2026-11-20T22:03:11.123456Z", "namespace": "n",
            "name": name, "uid": uid, "trigger": "event", "outcome": "evicted", "state": "killed", "dry_run": False,
            "grace_seconds": 0, "message": message, "ranking": [{"name": name, "usage": 5, "place": 1}],
            "annotations": {"starved_resource": "memory", "offending_containers": "c",
                            "offending_containers_usage": "4435748Ki"},
            "events": [{"on": "node", "type": "Warning", "reason": "EvictionThresholdMet",
                        "message": "Attempting to reclaim memory"},
                       {"on": "pod", "type": "Warning", "reason": "Evicted", "message": message}],
            "pod_conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet",
                                "message": message}], **more}


class FakeJournal:
    """`kept`: how many of its newest lines its memory has; `conditions`: what it tells behind a gap."""

    def __init__(self, path, first=1000, kept=100000):
        self.path = path
        self.changed = threading.Condition()
        self.lines = []  # (seq, text)
        self.next_seq = first
        self.kept = kept
        self.conditions = {}
        self.requests = []
        self.stopping = False
        self.open = []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def tell(self, *records):
        with self.changed:
            for record in records:
                self.lines.append((self.next_seq, json.dumps(dict(record, seq=self.next_seq))))
                self.next_seq += 1
            self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopping = True
            self.changed.notify_all()
            for connection in self.open:
                connection.close()
        self.listener.close()
        if os.path.exists(self.path):
            os.unlink(self.path)

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with self.changed:
                self.open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            request = json.loads(connection.makefile().readline())
            with self.changed:
                self.requests.append(request)
                self.changed.notify_all()
            cursor = request.get("after", 0)
            first = self.lines[-self.kept:][0][0] if self.lines[-self.kept:] else self.next_seq
            if "after" in request and not first - 1 <= cursor < self.next_seq:
                skipped = {"schema": 1, "kind": "skipped", "after": cursor, "first": first,
                           "conditions": self.conditions}
                connection.sendall(json.dumps(skipped).encode() + b"\n")
                cursor = first - 1
            while True:
                with self.changed:
                    self.changed.wait_for(
                        lambda at=cursor: self.stopping or any(seq > at for seq, _ in self.lines[-self.kept:]))
                    if self.stopping:
                        return
                    told = [(seq, line) for seq, line in self.lines[-self.kept:] if seq > cursor]
                cursor = told[-1][0]
                connection.sendall("".join(line + "\n" for _, line in told).encode())
        except (OSError, ValueError):
            pass  # It is gone.
