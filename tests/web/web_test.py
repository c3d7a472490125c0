# SPDX-License-Identifier: Apache-2.0
"""evictd-web beside the real evictd, run as an unprivileged user. Needs root for evictd itself."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import time
import unittest

from node import PATIENCE, Node
from openapi import problems_of_answer


class Stream:
    """One stream of server-sent events."""

    def __init__(self, node, last_id):
        self.connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=PATIENCE)
        self.connection.request("GET", "/api/v1/events", headers={"Last-Event-ID": str(last_id)})
        self.answer = self.connection.getresponse()

    def next(self):
        """(id, event) of the next event."""
        identity, data = None, None
        while True:
            line = self.answer.readline().decode()
            if not line:
                raise AssertionError("the stream ended")
            if line.startswith("id: "):
                identity = int(line[4:])
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif line == "\n" and data is not None:
                return identity, data

    def close(self):
        self.connection.close()


class WebTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make cgroups and to run evictd")

    def node_with_three_pods(self):
        node = Node(self)
        node.add_quiet_pod("aaaa", "shop", "cart", priority=100, request_mib=64)
        node.add_quiet_pod("bbbb", "shop", "orders", priority=1000, request_mib=64)
        node.start_evictd()
        return node

    def evict_a_hog(self, node):
        """The record of its eviction, after it has finished."""
        hog = node.add_hog("cccc", "batch", "report")
        hog.wait(PATIENCE)
        return node.wait_until(
            lambda: next((record for record in node.json("/api/v1/records?outcome=evicted")["records"]
                          if record["state"] == "released"), None), "the hog is evicted and gone")

    def test_an_eviction_is_in_metrics_api_and_stream(self):
        node = self.node_with_three_pods()
        node.start_web("--pod-metrics", "2")
        node.wait_until(lambda: node.metrics().get('evictd_pods{state="active"}') == 2, "both pods are seen")
        stream = Stream(node, 0)
        self.addCleanup(stream.close)
        record = self.evict_a_hog(node)
        self.assertEqual(record["pod"], "batch/report")

        metrics = node.wait_until(
            lambda: (found := node.metrics()).get(
                'kubelet_evictions{eviction_signal="allocatableMemory.available"}') and found, "it is counted")
        self.assertEqual(metrics['kubelet_evictions{eviction_signal="allocatableMemory.available"}'], 1)
        self.assertEqual(metrics["evictd_evictions_begun_total"], 1)
        self.assertEqual(metrics["evictd_up"], 1)
        if record["timeline"]["hook_ns"] is not None:
            self.assertEqual(metrics["evictd_detection_to_signal_seconds_count"], 1)
            self.assertEqual(metrics["evictd_past_threshold_bytes_count"], 1)
        self.assertIn('namespace="shop",pod="cart",uid="aaaa"', " ".join(metrics))

        whole = node.json(f"/api/v1/records/{record['id']}")
        self.assertEqual([pod["name"] for pod in whole["ranking"]][0], "report")
        while True:
            identity, event = stream.next()
            self.assertEqual(identity, event["seq"])
            if event["kind"] == "decision" and event["pod"] == "batch/report":
                break
        self.go_on_behind(node, identity)

    def go_on_behind(self, node, identity):
        """A second stream starts with the line after the last one of the first."""
        resumed = Stream(node, identity - 1)
        self.addCleanup(resumed.close)
        self.assertEqual(resumed.next()[0], identity)

    def test_promtool_finds_nothing_in_the_metrics(self):
        node = self.node_with_three_pods()
        node.start_web("--pod-metrics", "5")
        self.evict_a_hog(node)
        _, _, body = node.get("/metrics")
        judged = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True, check=False)
        self.assertEqual((judged.returncode, judged.stdout + judged.stderr), (0, b""))

    def test_answers_are_as_the_api_describes_them(self):
        node = self.node_with_three_pods()
        node.start_web()
        record = self.evict_a_hog(node)
        document = node.json("/api/v1/openapi.json")
        asked = {"/api/v1/status": "/api/v1/status", "/api/v1/records": "/api/v1/records?limit=3",
                 "/api/v1/records/{id}": f"/api/v1/records/{record['id']}"}
        asked_in_vain = {"/api/v1/records": "/api/v1/records?limit=0", "/api/v1/records/{id}": "/api/v1/records/99999",
                         "/api/v1/events": "/api/v1/events?after=x"}
        for described, path in [*asked.items(), *asked_in_vain.items()]:
            status, _, body = node.get(path)
            self.assertEqual(problems_of_answer(document, described, status, json.loads(body)), [])
            self.assertEqual(status == 200, described in asked and path == asked[described])
        for path in document["paths"]:
            self.assertNotEqual(node.get(path.replace("{id}", "1"))[0] if "events" not in path else 200, 405, path)

    def test_readiness_follows_evictd(self):
        node = self.node_with_three_pods()
        node.start_web("--ready-requires", "any")
        node.wait_until(lambda: node.get("/readyz")[0] == 200, "ready")
        Node.end(node.evictd)
        status, _, why = node.wait_until(lambda: (found := node.get("/readyz"))[0] == 503 and found, "not ready")
        self.assertEqual(status, 503)
        self.assertIn(b"control.sock", why)
        self.assertEqual(node.get("/healthz")[0], 200)
        self.assertEqual(node.get("/api/v1/status")[0], 503)
        self.assertEqual(node.metrics()["evictd_up"], 0)
        node.start_evictd()
        node.wait_until(lambda: node.get("/readyz")[0] == 200, "ready again")
        node.wait_until(lambda: node.metrics()["evictd_web_following"] == 1, "follows again")

    def test_polling_is_not_ready_where_bpf_is_required(self):
        node = Node(self, source="poll")
        node.start_evictd()
        node.start_web("--ready-requires", "bpf")
        status, _, why = node.wait_until(lambda: (found := node.get("/readyz"))[0] == 503 and found, "not ready")
        self.assertEqual(status, 503)
        node.wait_until(lambda: b"polls" in node.get("/readyz")[2], "the reason is polling")
        self.assertTrue(why)

    def test_a_token_is_wanted_where_there_is_one(self):
        node = Node(self)
        token = node.directory / "token"
        token.write_text("correct-horse-battery\n", encoding="ascii")
        token.chmod(0o644)
        node.start_web("--token-file", str(token))
        for path in ("/metrics", "/api/v1/status", "/api/v1/records", "/api/v1/records/1", "/api/v1/events"):
            self.assertEqual(node.get(path)[0], 401, path)
            self.assertEqual(node.get(path, {"Authorization": "Bearer correct-horse-batterx"})[0], 401, path)
        self.assertEqual(node.get("/metrics", {"Authorization": "Bearer correct-horse-battery"})[0], 200)
        self.assertEqual(node.get("/healthz")[0], 200)

    def test_it_serves_tls(self):
        node = Node(self)
        key, certificate = node.directory / "key.pem", node.directory / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                        key, "-out", certificate], check=True, capture_output=True)
        for file in (key, certificate):
            file.chmod(0o644)
        node.start_web("--tls-cert", str(certificate), "--tls-key", str(key))
        trust = ssl.create_default_context(cafile=str(certificate))
        connection = http.client.HTTPSConnection("127.0.0.1", node.port, timeout=PATIENCE, context=trust)
        self.addCleanup(connection.close)
        for _ in range(2):
            connection.request("GET", "/healthz")
            self.assertEqual(connection.getresponse().read(), b"ok\n")
        # A plain HTTP client gets no answer and delays no other client.
        with socket.create_connection(("127.0.0.1", node.port), PATIENCE) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
            with contextlib.suppress(ConnectionResetError):
                self.assertNotIn(b"200 OK", plain.recv(4096))
        connection.request("GET", "/healthz")
        self.assertEqual(connection.getresponse().read(), b"ok\n")

    def test_it_serves_a_unix_socket(self):
        node = Node(self)
        folder = node.directory / "web"
        folder.mkdir()
        folder.chmod(0o777)
        node.start_web(listen=f"unix:{folder}/http.sock")
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(f"{folder}/http.sock")
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            self.assertIn(b"200 OK", client.makefile("rb").read())

    def test_clients_that_say_nothing_are_bounded_and_let_go(self):
        node = Node(self)
        node.start_web()
        mute = [socket.create_connection(("127.0.0.1", node.port), PATIENCE) for _ in range(80)]
        for client in mute:
            self.addCleanup(client.close)
            # A part of a request, so that it is not idle.
            client.sendall(b"GET /healthz HTTP/1.1\r\n")
        answers = [client.makefile("rb").readline() for client in mute]
        turned_away = [answer for answer in answers if b"503" in answer]
        self.assertEqual(len(turned_away), 80 - 64)
        # All others were closed because their request took too long. A place is free a moment after its socket is
        # closed, so one answer does not promise room for the next.
        metrics = node.wait_until(lambda: self.served(node, "/metrics"), "others are served again")
        rejected = re.search(rb"^evictd_web_rejected_connections_total (\S+)$", metrics, re.MULTILINE)
        self.assertGreaterEqual(float(rejected[1]), 16)

    @staticmethod
    def served(node, path):
        """The body of the answer; None where there is no room for the request."""
        try:
            status, _, body = node.get(path)
        except OSError:
            return None
        return body if status == 200 else None

    def test_what_cannot_be_served_is_refused(self):
        node = Node(self)
        node.start_web()
        self.assertEqual(node.get("/no/such/path")[0], 404)
        self.assertEqual(node.get("/api/v1/records/x")[0], 404)
        for request in (b"\x00\x01garbage\r\n\r\n", b"GET\r\n\r\n", b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n",
                        b"POST /metrics HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n" + b"x" * 10000):
            with socket.create_connection(("127.0.0.1", node.port), PATIENCE) as client:
                client.sendall(request)
                self.assertNotIn(b" 200 ", client.recv(4096).split(b"\r\n")[0])
        self.assertEqual(node.get("/healthz")[0], 200)

    def test_wrong_options_are_one_clear_error(self):
        web = pathlib.Path(os.environ["EVICTD_BIN"]) / "evictd-web"
        for options, word in ((["--listen", "localhost:80"], "--listen"), (["--tls-cert", "x"], "--tls-key"),
                              (["--token-file", "/no/such"], "--token-file"), (["--lissten", "x"], "--listen"),
                              (["--pod-metrics", "-1"], "--pod-metrics"),
                              (["--tls-cert", "/no/such", "--tls-key", "/no/such"], "--tls-cert")):
            ended = subprocess.run([web, *options], capture_output=True, text=True, check=False, timeout=PATIENCE)
            self.assertNotEqual(ended.returncode, 0, options)
            self.assertIn(word, ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
