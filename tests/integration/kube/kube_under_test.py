# SPDX-License-Identifier: Apache-2.0
"""The real evictd-kube with directories of its own, and what tests ask of it."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/kube"))
import fake_kube  # pylint: disable=wrong-import-position

# For what takes a fraction of a second on an idle machine; only a failure waits this long.
PATIENCE_SECONDS = 90
DATA = ROOT / "tests/data/kube"


def pod(uid, name="a", priority=7, node="node1", memory="64Mi"):
    return {"metadata": {"name": name, "namespace": "n", "uid": uid, "labels": {"app": name}},
            "spec": {"nodeName": node, "priority": priority,
                     "containers": [{"name": "c", "resources": {"requests": {"memory": memory}}}]},
            "status": {"phase": "Running"}}


class FakeEvictd:
    """evictd's control socket, for those that follow it."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(4)
        self.followers = []
        self.requests = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.requests.append(connection.recv(4096))
            self.followers.append(connection)

    def tell(self, line):
        for follower in self.followers:
            follower.sendall(line.encode() + b"\n")

    def close(self):
        self.listener.close()
        for follower in self.followers:
            follower.close()


class KubeCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="evictd-kube-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)
        self.pods = self.path / "run/pods"
        self.log = self.path / "log"
        self.process = None
        self.addCleanup(self.stop)
        self.authority = fake_kube.Authority(self.path)
        (self.path / "token").write_text("secret\n", encoding="ascii")

    def fake(self, *arguments, **options):
        fake = fake_kube.FakeKube(*arguments, **options)
        self.addCleanup(fake.stop)
        return fake

    def start(self, config):
        config = {"nodeName": "node1", "manifestDirectory": str(self.pods), "evictdSocket": "none",
                  "statusSocket": str(self.path / "status.sock"), **config}
        file = self.path / "kube.yaml"
        file.write_text(json.dumps(config), encoding="utf-8")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([sys.argv[1], "--config", str(file)], stdout=log, stderr=log,
                                            env=self.environment())

    @staticmethod
    def environment():
        """Its own, and where it is to die."""
        return {name: os.environ[name] for name in ("PATH", "EVICTD_FAULT_POINT") if name in os.environ}

    def stop(self):
        """How it ended."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "killed"

    def await_that(self, condition, what="it", progress=lambda: None):
        """`progress`: as long as what it returns changes there is no end to the patience."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        last = None
        while True:
            found = condition()
            if found:
                return found
            reached = progress()
            if reached != last:
                last = reached
                deadline = time.monotonic() + PATIENCE_SECONDS
            ended = self.process.poll() if self.process else None
            if time.monotonic() > deadline or ended is not None:
                status = self.status()
                self.fail(f"{what} did not come; ended: {ended}; log: {self.log.read_text()}; status: {status}")
            threading.Event().wait(0.02)

    def status(self):
        """None while it does not answer."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(PATIENCE_SECONDS)
                connection.connect(str(self.path / "status.sock"))
                connection.sendall(b'{"op":"status"}\n')
                return json.loads(connection.makefile().readline())
        except (OSError, ValueError):
            return None

    def counter(self, name):
        status = self.status()
        return status["counters"]["source"][name] if status else 0

    def await_counter(self, name, least=1):
        self.await_that(lambda: self.counter(name) >= least, f"{name} of {least}")

    def manifests(self):
        """By uid."""
        found = {}
        for file in self.pods.glob("*.json"):
            try:
                found[file.stem] = json.loads(file.read_text(encoding="utf-8"))
            except FileNotFoundError:
                pass
        return found

    def await_manifests(self, *uids):
        self.await_that(lambda: set(self.manifests()) == set(uids), f"manifests of {uids}")

    def inodes(self):
        return {file.name: file.stat().st_ino for file in self.pods.glob("*.json")}
