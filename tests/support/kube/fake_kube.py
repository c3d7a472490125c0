#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fake kubelet and API server for evictd-kube, over TLS, with faults on demand. Standard library only; the openssl
program creates the certificates.

In a test it is a FakeKube object. As a program it serves the pods in the files of a directory:

usage: fake_kube.py DIRECTORY PODS   writes DIRECTORY/ca.pem, token and port, serves PODS/*.json until it is killed
"""
import http.server
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse


class Authority:
    """A certificate authority and its certificates, as files in a directory."""

    def __init__(self, directory, name="ca"):
        self.directory = pathlib.Path(directory)
        self.name = name
        self._openssl("req", "-x509", *self._new_key(name), "-out", self.path(f"{name}.pem"), "-days", "2", "-subj",
                      f"/CN=fake-{name}")

    def path(self, name):
        return str(self.directory / name)

    @property
    def file(self):
        return self.path(f"{self.name}.pem")

    def issue(self, name, days=2):
        """Certificate and key for 127.0.0.1; with -1 days it is expired."""
        self._openssl("req", *self._new_key(name), "-out", self.path(f"{name}.csr"), "-subj", f"/CN={name}", "-addext",
                      "subjectAltName=IP:127.0.0.1")
        self._openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.file, "-CAkey",
                      self.path(f"{self.name}.key"), "-CAcreateserial", "-days", str(days), "-copy_extensions", "copy",
                      "-out", self.path(f"{name}.pem"))
        return self.path(f"{name}.pem"), self.path(f"{name}.key")

    def _new_key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                self.path(f"{name}.key")]

    @staticmethod
    def _openssl(*arguments):
        done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)


class Fault:
    """A fault of one answer, instead of it or within it."""

    def __init__(self, status=None, headers=None, body=None, half=False, hang=False, lines=None, then_hang=False,
                 cut=False):
        self.status = status
        self.headers = headers or {}
        self.body = body
        self.half = half  # Sends half of the body, then closes the connection.
        self.hang = hang  # Sends nothing until the server stops.
        self.lines = lines or []  # Raw lines of a watch.
        self.then_hang = then_hang  # A watch then sends nothing, not even bookmarks.
        self.cut = cut  # A watch ends within a line.


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    tls = None

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # Clients disconnect, and reject certificates.
            super().handle_error(request, client_address)


class FakeKube:
    """Both servers at one port. One Condition guards everything that a test may change."""

    handler = None  # Handler of a derived server.

    def __init__(self, authority=None, certificate=None, client_ca=None):
        self.changed = threading.Condition()
        self.pods = {}  # By uid.
        self.version = 100
        self.oldest = 0  # A watch from an older version gets 410.
        self.events = []  # (version, line)
        self.kubelet_events = []  # v1.Event objects that the kubelet posted.
        self.lines_of_events = []  # As `events`.
        self.faults = []  # Faults of the next answers, each used once.
        self.faults_of_watches = []
        self.tokens = {"secret"}
        self.forbidden = set()  # Paths.
        self.needs_client_certificate = client_ca is not None
        self.requests = []  # (path with query, token)
        self.peers = []  # The subject of each client certificate.
        self.bookmark_seconds = 0.2
        self.stopping = False
        self.refresh = lambda: None  # Called before each answer.
        handler = type("Handler", (self.handler or Handler,), {"fake": self})
        self.server = Server(("127.0.0.1", 0), handler)
        self.port = self.server.server_address[1]
        self.scheme = "http"
        if authority:
            self.scheme = "https"
            self.use_certificate(*(certificate or authority.issue("server")), client_ca)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def use_certificate(self, certificate, key, client_ca=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        if client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client_ca)
        self.server.tls = context

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def stop(self):
        with self.changed:
            self.stopping = True
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

    # Called by tests.

    def put(self, pod):
        with self.changed:
            self.version += 1
            uid = pod["metadata"]["uid"]
            kind = "MODIFIED" if uid in self.pods else "ADDED"
            pod = dict(pod, kind="Pod", apiVersion="v1",
                       metadata=dict(pod["metadata"], resourceVersion=str(self.version)))
            self.pods[uid] = pod
            self._tell(kind, pod)

    def delete(self, uid):
        with self.changed:
            self.version += 1
            pod = self.pods.pop(uid)
            self._tell("DELETED", dict(pod, metadata=dict(pod["metadata"], resourceVersion=str(self.version))))

    def post_event(self, event):
        """Acts as the kubelet."""
        with self.changed:
            self.version += 1
            event = dict(event, kind="Event", apiVersion="v1",
                         metadata=dict(event["metadata"], resourceVersion=str(self.version)))
            self.kubelet_events.append(event)
            self.lines_of_events.append((self.version, json.dumps({"type": "ADDED", "object": event})))
            self.changed.notify_all()

    def _tell(self, kind, pod):
        self.events.append((self.version, json.dumps({"type": kind, "object": pod})))
        self.changed.notify_all()

    def fail(self, *faults):
        with self.changed:
            self.faults.extend(faults)

    def fail_watches(self, *faults):
        with self.changed:
            self.faults_of_watches.extend(faults)

    def forbid(self, path):
        with self.changed:
            self.forbidden.add(path)

    def forget_history(self):
        with self.changed:
            self.version += 1
            self.oldest = self.version
            self.events.clear()

    def asked(self, part=""):
        with self.changed:
            return [path for path, _ in self.requests if part in path]

    def pod_list(self):
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)},
                "items": list(self.pods.values())}

    def event_list(self):
        return {"kind": "EventList", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)},
                "items": self.kubelet_events}


class Handler(http.server.BaseHTTPRequestHandler):
    fake = None
    protocol_version = "HTTP/1.1"
    timeout = 60

    def setup(self):
        # Here, in the connection's own thread: a silent client delays no other.
        if self.server.tls:
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self):
        try:
            super().handle()
        except (OSError, ValueError):
            pass  # The client has disconnected.

    def finish(self):
        try:
            super().finish()
            self.request.shutdown(socket.SHUT_RDWR)
        except (OSError, ValueError):
            pass
        self.request.close()

    def log_message(self, *arguments):  # pylint: disable=arguments-differ
        pass

    def do_GET(self):
        fake = self.fake
        fake.refresh()
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        is_watch = query.get("watch") == "true"
        with fake.changed:
            faults = fake.faults_of_watches if is_watch else fake.faults
            fault = faults.pop(0) if faults else Fault()
            allowed = fake.needs_client_certificate or not fake.tokens or token in fake.tokens
            if fake.needs_client_certificate:
                fake.peers.append(self.request.getpeercert()["subject"])
            fake.requests.append((self.path, token))
            fake.changed.notify_all()
        if fault.hang:
            self.hang()
        elif fault.status:
            self.answer(fault.status, fault.body or self.status_object(fault.status), fault)
        elif not allowed:
            self.answer(401, self.status_object(401), fault)
        elif address.path in fake.forbidden:
            self.answer(403, self.status_object(403), fault)
        elif is_watch:
            self.watch(query, fault, is_of_events=address.path == "/api/v1/events")
        elif address.path == "/api/v1/events":
            with fake.changed:
                body = json.dumps(fake.event_list()).encode() if fault.body is None else fault.body
            self.answer(200, body, fault)
        elif address.path in ("/pods", "/api/v1/pods"):
            with fake.changed:
                body = json.dumps(fake.pod_list()).encode() if fault.body is None else fault.body
            self.answer(200, body, fault)
        else:
            self.answer(404, self.status_object(404), fault)

    @staticmethod
    def status_object(code):
        return json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                           "message": f"fault {code}"}).encode()

    def answer(self, status, body, fault):
        self.send_response(status)
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault.half:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self.wfile.write(body)

    def hang(self):
        self.close_connection = True
        with self.fake.changed:
            self.fake.changed.wait_for(lambda: self.fake.stopping)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def watch(self, query, fault, is_of_events=False):
        fake = self.fake
        told = fake.lines_of_events if is_of_events else fake.events
        version = int(query["resourceVersion"])
        ends_at = time.monotonic() + int(query["timeoutSeconds"])
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in fault.lines:
            self.chunk(line if isinstance(line, bytes) else line.encode() + b"\n")
        if fault.cut:
            self.chunk(b'{"type":"ADDED","object":{"kind":"Po')
            return
        if fault.then_hang:
            self.hang()
            return
        if version < fake.oldest:
            self.chunk(json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired",
                                                               "message": "too old resource version"}}).encode()
                       + b"\n")
            self.chunk(b"")
            return
        while not fake.stopping and time.monotonic() < ends_at:
            with fake.changed:
                fake.changed.wait_for(lambda: fake.stopping or any(at > version for at, _ in told),
                                      timeout=fake.bookmark_seconds)
                lines = [line for at, line in told if at > version]
                version = max([version] + [at for at, _ in told])
                newest = fake.version
            if not lines:
                version = newest
                lines = [json.dumps({"type": "BOOKMARK", "object": {
                    "kind": "Event" if is_of_events else "Pod", "apiVersion": "v1",
                    "metadata": {"resourceVersion": str(newest)}}})]
            for line in lines:
                self.chunk(line.encode() + b"\n")
        self.chunk(b"")


class FilePods:
    """Serves the pods in the files of a directory."""

    def __init__(self, fake, directory):
        self.fake = fake
        self.directory = directory
        self.known = {}
        self.reading = threading.Lock()

    def refresh(self):
        with self.reading:
            found = {}
            for file in self.directory.glob("*.json"):
                try:
                    found[file.name] = json.loads(file.read_text(encoding="utf-8"))
                except (OSError, ValueError):
                    continue  # It is being written.
            for name, pod in found.items():
                if self.known.get(name) != pod:
                    self.fake.put(pod)
            for name in set(self.known) - set(found):
                self.fake.delete(self.known[name]["metadata"]["uid"])
            self.known = found


def serve_files(directory, pods, kind=FakeKube):
    fake = kind(Authority(directory))
    fake.tokens = {"file-token"}
    files = FilePods(fake, pods)
    # Each answer reads the current files.
    fake.refresh = files.refresh
    (directory / "token").write_text("file-token\n", encoding="ascii")
    (directory / "port.new").write_text(str(fake.port), encoding="ascii")
    os.rename(directory / "port.new", directory / "port")
    while True:
        files.refresh()
        with fake.changed:
            fake.changed.wait(0.02)


if __name__ == "__main__":
    serve_files(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
