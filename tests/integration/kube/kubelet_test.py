# SPDX-License-Identifier: Apache-2.0
"""evictd-kube before a kubelet, and the faults that one has.

usage: kubelet_test.py EVICTD_KUBE
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_under_test import DATA, FakeEvictd, KubeCase, pod  # pylint: disable=wrong-import-position
from fake_kube import Authority, FakeKube, Fault  # pylint: disable=wrong-import-position


class KubeletTest(KubeCase):
    def kubelet(self, fake, **more):
        access = {"url": fake.url, "pollInterval": "100ms", "goneAfter": "300ms"}
        if fake.scheme == "https":
            access.update({"caFile": self.authority.file, "tokenFile": str(self.path / "token")})
        return {"podSource": "kubelet", "kubelet": {**access, **more}}

    def test_what_a_real_kubelet_says_becomes_manifests(self):
        fake = self.fake(self.authority)
        for item in json.loads((DATA / "kubelet_pods.json").read_text(encoding="utf-8"))["items"]:
            fake.put(item)
        self.start(self.kubelet(fake))
        self.await_manifests(*fake.pods)
        manifest = self.manifests()["86a66f6e-8c6e-4ee7-8f09-e1e340887540"]
        self.assertEqual(manifest["spec"]["priority"], 1000)
        self.assertEqual(manifest["spec"]["containers"][0]["resources"]["requests"]["memory"], "300Mi")
        self.assertNotIn("image", manifest["spec"]["containers"][0], "only what evictd reads")
        self.assertEqual(fake.requests[0], ("/pods", "secret"))

    def test_a_manifest_is_written_again_only_when_it_changes(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        fake.put(pod("b"))
        self.start(self.kubelet(fake))
        self.await_manifests("a", "b")
        before = self.inodes()
        fake.put(dict(pod("a"), status={"phase": "Running", "conditions": [{"type": "Ready"}]}))
        fake.put(pod("b", priority=8))
        self.await_that(lambda: self.manifests()["b"]["spec"]["priority"] == 8)
        self.await_counter("answers", self.counter("answers") + 3)
        self.assertEqual(self.inodes()["a.json"], before["a.json"])
        self.assertEqual(self.status()["counters"]["manifests"]["written"], 3)

    def test_a_pod_that_is_gone_loses_its_manifest(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        fake.put(pod("b"))
        self.start(self.kubelet(fake))
        self.await_manifests("a", "b")
        fake.delete("a")
        self.await_manifests("b")

    def test_no_fault_takes_a_manifest_away(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        self.start(self.kubelet(fake, goneAfter="0s"))
        self.await_manifests("a")
        empty = json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}}).encode()
        faults = [Fault(status=401), Fault(status=403), Fault(status=404), Fault(status=410), Fault(status=500),
                  Fault(status=429, headers={"Retry-After": "1"}), Fault(half=True), Fault(body=b"garbage"),
                  Fault(body=b"{}"), Fault(body=b""), Fault(body=b"[" * 1_000_000),
                  Fault(body=empty.replace(b"PodList", b"NodeList")), Fault(body=empty[:-1] + b',"items":5}')]
        fake.fail(*faults)
        self.await_that(lambda: not fake.faults, "every fault")
        answers = self.counter("answers")
        self.await_counter("answers", answers + 1)
        self.assertEqual(set(self.manifests()), {"a"})
        self.assertEqual(self.status()["counters"]["manifests"]["removed"], 0)
        source = self.status()["counters"]["source"]
        self.assertEqual(source["failures"], len(faults))
        self.assertEqual((source["unauthorized"], source["throttled"], source["unreachable"]), (2, 1, 1))
        self.assertEqual(self.log.read_text().count("the source of pods: "), 2, "the problem and its end are logged once")
        self.assertIn("the source of pods: recovered", self.log.read_text())

    def test_the_read_only_port_needs_no_credentials(self):
        fake = self.fake()
        fake.tokens = set()
        fake.put(pod("a"))
        self.start(self.kubelet(fake))
        self.await_manifests("a")

    def test_a_client_certificate_opens_the_door_and_is_read_anew(self):
        fake = self.fake(self.authority, client_ca=self.authority.file)
        fake.put(pod("a"))
        for name in ("first", "second"):
            self.authority.issue(name)
        for suffix in ("pem", "key"):
            shutil.copy(self.path / f"first.{suffix}", self.path / f"client.{suffix}")
        config = self.kubelet(fake, clientCertificateFile=str(self.path / "client.pem"),
                              clientKeyFile=str(self.path / "client.key"))
        del config["kubelet"]["tokenFile"]
        self.start(config)
        self.await_manifests("a")
        for suffix in ("pem", "key"):
            shutil.copy(self.path / f"second.{suffix}", self.path / f"client.{suffix}")
        self.await_that(lambda: "second" in str(fake.peers[-1]), "the other certificate")
        self.assertIn("first", str(fake.peers[0]))

    def test_a_token_is_read_anew(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        self.start(self.kubelet(fake))
        self.await_manifests("a")
        fake.tokens = {"rotated"}
        self.await_counter("unauthorized")
        (self.path / "token").write_text("rotated\n", encoding="ascii")
        answers = self.counter("answers")
        self.await_counter("answers", answers + 1)

    def test_a_server_that_nobody_vouches_for_is_told_nothing(self):
        stranger = Authority(self.path, "stranger")
        for certificate in (stranger.issue("server"), self.authority.issue("expired", days=-1)):
            fake = self.fake(self.authority, certificate=certificate)
            fake.put(pod("a"))
            self.start(self.kubelet(fake))
            self.await_counter("unreachable", 2)
            self.assertEqual(fake.requests, [], "no token went out")
            self.assertEqual(self.manifests(), {})
            self.assertIn("certificate", self.status()["problems"][0])
            self.stop()

    def test_verification_is_skipped_only_where_that_is_said(self):
        fake = self.fake(self.authority, certificate=self.authority.issue("expired", days=-1))
        fake.put(pod("a"))
        config = self.kubelet(fake, insecureSkipVerify=True)
        del config["kubelet"]["caFile"]
        self.start(config)
        self.await_manifests("a")

    def test_a_pod_that_evictd_does_not_know_is_asked_for_at_once(self):
        fake = self.fake(self.authority)
        evictd = FakeEvictd(str(self.path / "control.sock"))
        self.addCleanup(evictd.close)
        config = self.kubelet(fake, pollInterval="10m")
        self.start({**config, "evictdSocket": str(self.path / "control.sock")})
        # The one at its start, and what came while nobody listened.
        self.await_that(lambda: self.status() and self.status()["evictd"]["connected"])
        self.await_counter("nudges")
        self.await_that(lambda: len(fake.asked()) in (1, 2) and self.counter("answers") == len(fake.asked()))
        fake.put(pod("a"))
        evictd.tell('{"schema":1,"kind":"stall","pod":"unknown_pod"}')
        evictd.tell('x' * 200_000)
        evictd.tell('{"schema":1,"kind":"unknown_pod","uid":"a","cgroup":"/kubepods/poda","seq":4}')
        self.await_manifests("a")
        self.assertEqual(self.status()["evictd"]["unknown_pods"], 1)
        self.assertEqual(self.status()["evictd"]["oversized_lines"], 1)
        self.assertEqual(evictd.requests, [b'{"op":"follow"}\n'])

    def test_it_goes_on_without_evictd(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        self.start({**self.kubelet(fake), "evictdSocket": str(self.path / "nobody.sock")})
        self.await_manifests("a")
        self.assertFalse(self.status()["evictd"]["connected"])
        self.assertNotEqual(self.status()["evictd"]["problem"], "")

    def test_a_kubelet_that_hangs_holds_up_neither_status_nor_end(self):
        fake = self.fake(self.authority)
        fake.fail(Fault(hang=True))
        self.start(self.kubelet(fake))
        self.await_that(lambda: fake.requests, "the question")
        self.assertEqual(self.status()["confirmed_ms_ago"], None)
        self.assertEqual(self.stop(), 0)

    def test_a_restart_writes_nothing_again(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        self.start(self.kubelet(fake))
        self.await_manifests("a")
        before = self.inodes()
        self.assertEqual(self.stop(), 0)
        self.assertEqual(set(self.manifests()), {"a"}, "evictd decides on with what it knew")
        self.start(self.kubelet(fake))
        self.await_counter("answers", 2)
        self.assertEqual(self.inodes(), before)

    def test_status_is_printed_and_names_the_age_of_what_is_known(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        self.start(self.kubelet(fake))
        self.await_manifests("a")
        done = subprocess.run([sys.argv[1], "--config", str(self.path / "kube.yaml"), "--status"], text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        status = json.loads(done.stdout)
        self.assertEqual((status["pods"], status["pod_source"], status["node"]), (1, "kubelet", "node1"))
        self.assertIsInstance(status["confirmed_ms_ago"], int)
        self.assertGreater((self.pods / ".confirmed").stat().st_mtime, 0)

    def test_a_wrong_configuration_is_one_clear_error(self):
        file = self.path / "wrong.yaml"
        file.write_text("podSource: kubelet\nkubelet:\n  urll: x\n", encoding="utf-8")
        for arguments in (["--config", str(file)], ["--config", str(file), "--check"]):
            done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"evictd-kube: {file}:3: kubelet.urll: unknown key; allowed: the nearest "
                                          "is url\n")
        done = subprocess.run([sys.argv[1], "--konfig", "x"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the nearest is --config", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
