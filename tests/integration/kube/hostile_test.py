# SPDX-License-Identifier: Apache-2.0
"""Whatever a server answers, evictd-kube goes on, and nothing outside its directory is touched.

usage: hostile_test.py EVICTD_KUBE
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_under_test import KubeCase, pod  # pylint: disable=wrong-import-position
from fake_kube import Fault  # pylint: disable=wrong-import-position

UIDS = ["../escaped", "/etc/escaped", "a/../../escaped", ".confirmed", "..", "", "A", "a\u0000b", "a\nb", "a" * 65,
        5, None, [], {"a": 1}, True]


def hostile_pods():
    pods = [pod(uid) for uid in UIDS]
    pods += [5, None, "pod", [], [[]], {"metadata": 5}, {"metadata": {"uid": "typeless"}, "spec": 5}]
    wrong = pod("wrong")
    wrong["spec"]["priority"] = "high"
    deep = pod("deep")
    nested = {}
    for _ in range(60):
        nested = {"limits": nested}
    deep["spec"]["containers"][0]["resources"] = nested
    return pods + [wrong, deep]


class HostileTest(KubeCase):
    def setUp(self):
        super().setUp()
        self.server = self.fake(self.authority)
        self.server.put(pod("good"))

    def outside(self):
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob("*")
                      if path.is_file() and self.pods not in path.parents)

    def start_kubelet(self):
        self.start({"podSource": "kubelet", "kubelet": {
            "url": self.server.url, "caFile": self.authority.file, "tokenFile": str(self.path / "token"),
            "pollInterval": "100ms", "goneAfter": "0s"}})
        self.await_manifests("good")

    def test_a_list_of_hostile_pods_leaves_the_others(self):
        self.start_kubelet()
        before = self.outside()
        body = json.dumps(dict(self.server.pod_list(), items=hostile_pods() + [self.server.pods["good"]]))
        self.server.fail(Fault(body=body.encode()), Fault(body=body.encode()))
        self.await_counter("refused_pods", 2 * len(UIDS))
        self.await_that(lambda: not self.server.faults)
        self.await_counter("answers", self.counter("answers") + 1)
        self.assertEqual(set(self.manifests()), {"good"})
        self.assertEqual(self.outside(), before)
        self.assertEqual(sorted(file.name for file in self.pods.iterdir()), [".confirmed", "good.json"])
        self.assertGreater(self.status()["counters"]["manifests"]["refused"], 0)

    def test_answers_without_bounds_are_refused(self):
        self.start_kubelet()
        many = json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {},
                           "items": [{}] * 5000}).encode()
        labels = json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [
            {"metadata": {"labels": {str(number): "" for number in range(500_000)}}}]}).encode()
        self.server.fail(Fault(body=b" " * (33 << 20)), Fault(body=b'{"a":' * 200_000), Fault(body=many),
                         Fault(body=labels), Fault(body=b'{"kind":"\xff"}'), Fault(body=b"\x00" * 1000))
        self.await_that(lambda: not self.server.faults, "every fault")
        answers = self.counter("answers")
        self.await_counter("answers", answers + 1)
        self.assertEqual(self.counter("failures"), 6)
        self.assertEqual(set(self.manifests()), {"good"})

    def test_a_watch_of_hostile_pods_leaves_the_others(self):
        lines = []
        for number, one in enumerate(hostile_pods()):
            if isinstance(one, dict) and isinstance(one.get("metadata"), dict):
                one = dict(one, kind="Pod", metadata=dict(one["metadata"], resourceVersion=str(200 + number)))
                lines += [json.dumps({"type": kind, "object": one}) for kind in ("ADDED", "DELETED")]
        self.server.fail_watches(Fault(lines=lines))
        self.start({"podSource": "apiserver", "apiServer": {
            "url": self.server.url, "caFile": self.authority.file, "tokenFile": str(self.path / "token")}})
        self.await_manifests("good")
        self.await_counter("refused_pods", 2 * len(UIDS))
        self.assertEqual(set(self.manifests()) - {"good"}, set())

    def test_a_redirect_is_not_followed(self):
        elsewhere = self.fake(self.authority)
        self.start_kubelet()
        self.server.fail(Fault(status=302, headers={"Location": f"{elsewhere.url}/pods"}))
        self.await_counter("other_status")
        self.assertEqual(elsewhere.requests, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
