# SPDX-License-Identifier: Apache-2.0
"""evictd-kube before an API server: list and watch, and the faults that one has.

usage: api_server_test.py EVICTD_KUBE
"""
import base64
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_under_test import DATA, KubeCase, pod  # pylint: disable=wrong-import-position
from fake_kube import Fault  # pylint: disable=wrong-import-position


class ApiServerTest(KubeCase):
    def api_server(self, fake, **more):
        return {"podSource": "apiserver",
                "apiServer": {"url": fake.url, "caFile": self.authority.file, "tokenFile": str(self.path / "token"),
                              **more}}

    def started(self, **more):
        """Listed with pod a, and a watch that is open."""
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        self.start(self.api_server(fake, **more))
        self.await_manifests("a")
        self.await_counter("bookmarks")
        return fake

    def test_what_a_real_server_says_becomes_manifests(self):
        fake = self.fake(self.authority)
        lines = (DATA / "api_server_watch.jsonl").read_text(encoding="utf-8").splitlines()
        fake.version = 600
        fake.fail_watches(Fault(lines=lines))
        self.start(self.api_server(fake))
        uids = {json.loads(line)["object"]["metadata"]["uid"] for line in lines}
        self.await_manifests(*uids)

    def test_it_asks_for_the_pods_of_its_node_alone(self):
        fake = self.started()
        listed, watched = fake.asked()[:2]
        self.assertEqual(listed, "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode1&resourceVersion=0")
        self.assertIn("watch=true&allowWatchBookmarks=true&resourceVersion=101&timeoutSeconds=300", watched)
        fake.put(pod("foreign", node="node2"))
        fake.put(pod("b"))
        self.await_manifests("a", "b")

    def test_it_follows_what_is_made_changed_and_deleted(self):
        fake = self.started()
        fake.put(pod("b"))
        self.await_manifests("a", "b")
        fake.put(pod("b", priority=9))
        self.await_that(lambda: self.manifests()["b"]["spec"]["priority"] == 9)
        fake.delete("a")
        self.await_manifests("b")
        self.assertEqual(self.counter("lists"), 1)

    def test_a_watch_that_the_server_ends_goes_on_where_it_was(self):
        fake = self.started(watchTime="1s")
        self.await_counter("watches", 3)
        fake.put(pod("b"))
        self.await_manifests("a", "b")
        self.assertEqual((self.counter("lists"), self.counter("failures")), (1, 0))

    def test_a_watch_that_is_too_old_is_listed_anew(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        fake.fail_watches(Fault(lines=[json.dumps({"type": "ERROR", "object": {
            "kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}})]), Fault(status=410))
        self.start(self.api_server(fake))
        self.await_counter("expired", 2)
        self.await_counter("bookmarks")
        self.assertEqual(self.counter("lists"), 3)
        self.assertEqual(set(self.manifests()), {"a"})

    def test_a_pod_that_went_while_nobody_watched_is_noticed(self):
        fake = self.started()
        fake.put(pod("b"))
        self.await_manifests("a", "b")
        self.assertEqual(self.stop(), 0)
        fake.delete("a")
        fake.forget_history()
        self.start(self.api_server(fake))
        self.await_manifests("b")

    def test_a_watch_that_goes_silent_is_begun_again(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        fake.fail_watches(Fault(then_hang=True))
        self.start(self.api_server(fake, silenceLimit="1s"))
        self.await_counter("silent_watches")
        fake.put(pod("b"))
        self.await_manifests("a", "b")
        self.assertEqual(self.counter("lists"), 1)

    def test_no_fault_takes_a_manifest_away(self):
        fake = self.started()
        self.assertEqual(self.stop(), 0)
        empty = json.dumps(dict(fake.pod_list(), items=[])).encode()
        null = json.dumps(dict(fake.pod_list(), items=None)).encode()
        half = json.dumps(dict(fake.pod_list(), items=[], metadata={"resourceVersion": "9", "continue": "x"})).encode()
        # Few at a time: after each failure in a row it waits twice as long.
        for faults, faults_of_watches in (
                ([Fault(status=401), Fault(status=403), Fault(status=404)], []),
                ([Fault(status=500), Fault(status=410)], []),
                ([Fault(status=429, headers={"Retry-After": "1"}), Fault(half=True), Fault(body=b"garbage")], []),
                ([Fault(body=null), Fault(body=half), Fault(body=empty)], []),
                ([], [Fault(cut=True), Fault(lines=["garbage"])]),
                ([], [Fault(status=500), Fault(status=403)])):
            fake.fail(*faults)
            fake.fail_watches(*faults_of_watches)
            self.start(self.api_server(fake))
            self.await_that(lambda: not fake.faults and not fake.faults_of_watches, "every fault")
            self.await_counter("bookmarks")
            self.assertEqual(set(self.manifests()), {"a"})
            self.assertEqual(self.status()["counters"]["manifests"]["removed"], 0)
            self.assertGreater(self.counter("failures") + self.counter("lists"), len(faults))
            self.assertEqual(self.stop(), 0)

    def test_an_object_of_five_megabytes_is_reduced(self):
        fake = self.started()
        large = pod("large")
        large["metadata"]["managedFields"] = [{"fieldsV1": {f"f:{number}": {} for number in range(1000)},
                                               "manager": "x" * 5_000_000}]
        fake.put(large)
        self.await_manifests("a", "large")
        self.assertLess((self.pods / "large.json").stat().st_size, 1000)

    def test_a_kubeconfig_says_how_and_is_read_anew(self):
        fake = self.fake(self.authority)
        fake.put(pod("a"))
        ca = base64.b64encode(pathlib.Path(self.authority.file).read_bytes()).decode()
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                  "clusters": [{"name": "c", "cluster": {"server": fake.url, "certificate-authority-data": ca}}],
                  "users": [{"name": "u", "user": {"token": "old"}}],
                  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}
        file = self.path / "kubeconfig"
        file.write_text(json.dumps(config), encoding="ascii")
        self.start({"podSource": "apiserver", "apiServer": {"kubeconfig": str(file)}})
        self.await_counter("unauthorized")
        config["users"][0]["user"]["token"] = "secret"
        file.write_text(json.dumps(config), encoding="ascii")
        self.await_manifests("a")

    def test_a_server_that_is_away_is_awaited(self):
        fake = self.fake(self.authority)
        config = self.api_server(fake)
        fake.stop()
        self.start(config)
        self.await_counter("unreachable", 2)
        self.assertEqual(self.stop(), 0)

    def test_a_server_that_hangs_holds_up_neither_status_nor_end(self):
        fake = self.fake(self.authority)
        fake.fail(Fault(hang=True))
        self.start(self.api_server(fake))
        self.await_that(lambda: fake.requests, "the question")
        self.assertEqual(self.status()["counters"]["source"]["asked"], 1)
        self.assertEqual(self.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
