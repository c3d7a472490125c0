# SPDX-License-Identifier: Apache-2.0
"""evictd-kube in mode observe: a dry run of evictd beside what a kubelet does.

usage: observe_test.py EVICTD_KUBE EVICTCTL
"""
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from actions_under_test import ActionCase  # pylint: disable=wrong-import-position
from fake_journal import decision  # pylint: disable=wrong-import-position
from kube_under_test import DATA, ROOT, pod  # pylint: disable=wrong-import-position

RECORDED = json.loads((DATA / "kubelet_evicted_pods.json").read_text(encoding="utf-8"))["items"][0]
MIB = 1 << 20


class ObserveTest(ActionCase):
    def start_observing(self, **more):
        # What a kubelet did before the first start is nobody's, and what was recorded is older than that.
        state = self.path / "state"
        state.mkdir(exist_ok=True)
        if not (state / "comparisons").exists():
            (state / "comparisons").write_text(json.dumps(
                {"schema": 1, "kind": "comparisons", "since": "2026-11-20T22:00:00Z", "cursor": 1}) + "\n")
        self.start_acting(mode="observe", **more)

    def kubelet_evicts(self, uid, name, time="2026-11-20T22:07:19Z"):
        """As the recorded one was."""
        evicted = pod(uid, name=name)
        evicted["status"] = json.loads(json.dumps(RECORDED["status"]))
        for condition in evicted["status"]["conditions"]:
            condition["lastTransitionTime"] = time
        self.server.put(evicted)

    def kubelet_posts(self, uid, name, time, host="node1", **more):
        """The event of an eviction."""
        self.server.post_event({
            "metadata": {"name": f"{name}.1", "namespace": "n"}, "reason": "Evicted", "type": "Warning",
            "involvedObject": {"kind": "Pod", "namespace": "n", "name": name, "uid": uid},
            "message": RECORDED["status"]["message"], "source": {"component": "kubelet", "host": host},
            "firstTimestamp": time, "lastTimestamp": time, "count": 1, **more})

    def choose(self, number, uid, name, time="2026-11-20T22:07:11.5Z", **more):
        """evictd's dry run does."""
        self.journal.tell(decision(
            number, uid, name, **{"dry_run": True, "time": time, "signal": "memory.available", "resource": "memory",
                                  "available": 18845152 * 1024 + 100 * MIB,
                                  "ranking": [{"uid": uid, "name": name, "place": 1, "usage": 7 * MIB}], **more}))

    def observed(self):
        status = self.status()
        return status["observe"] if status else {"kept": -1, "summary": {}, "last": [], "counters": {}}

    def await_summary(self, **expected):
        self.await_that(lambda: expected.items() <= self.observed()["summary"].items(), str(expected))

    def compare(self, *arguments):
        return subprocess.run([sys.argv[2], "compare", *arguments], capture_output=True, text=True, check=False)

    def test_the_same_pod_is_a_pair_with_who_was_earlier_and_what_was_left(self):
        self.start_observing()
        self.server.put(pod("u1", name="a"))
        self.choose(7, "u1", "a")
        self.await_summary(waiting=1)
        self.kubelet_evicts("u1", "a")
        self.await_summary(same_pod=1, waiting=0)
        pair = self.observed()["last"][0]
        self.assertEqual((pair["same_pod"], pair["earlier"], pair["evictd_earlier_ms"], pair["more_available"]),
                         (True, "evictd", 7500, 100 * MIB))
        self.assertEqual(pair["kubelet"]["usage"], 3611468 * 1024)
        self.assertEqual(self.server.changes, [], "nothing is asked of the API server")
        shown = self.compare(str(self.path / "status.sock"))
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("evictd by 7.5 s", shown.stdout)
        self.await_that(lambda: self.compare(str(self.path / "state/comparisons")).stdout == shown.stdout, "the file")
        told = json.loads(self.compare("--json", str(self.path / "state/comparisons")).stdout)
        self.assertEqual(told["comparisons"], [pair])
        self.assertEqual(told["summary"]["evictd_earlier"], 1)

    def test_an_event_tells_when_the_kubelet_decided_and_of_a_pod_that_is_gone(self):
        self.kubelet_posts("u2", "b", "2026-11-20T22:08:19Z")
        self.start_observing()
        self.await_summary(waiting=1)
        self.kubelet_posts("u3", "c", "2026-11-20T22:08:19Z", host="node2")
        self.server.put(pod("u1", name="a"))
        self.choose(7, "u1", "a")
        self.kubelet_evicts("u1", "a")
        self.await_summary(same_pod=1)
        self.kubelet_posts("u1", "a", "2026-11-20T22:07:14Z")
        self.await_that(lambda: self.observed()["last"][-1]["evictd_earlier_ms"] == 2500, "the event's time")
        pair = self.observed()["last"][-1]
        self.assertEqual((pair["kubelet"]["time_source"], pair["kubelet"]["usage"]), ("event", 3611468 * 1024))
        self.assertEqual((self.observed()["kept"], self.observed()["events"]["of_other_nodes"]), (2, 1))
        self.assertEqual(self.server.changes, [], "nothing is changed at the API server")

    def test_without_the_right_to_read_events_the_status_of_pods_tells(self):
        self.server.forbid("/api/v1/events")
        self.start_observing()
        self.choose(7, "u1", "a")
        self.kubelet_evicts("u1", "a")
        self.await_summary(same_pod=1)
        self.await_that(lambda: "403" in self.observed()["events"]["problem"], "a problem")

    def test_another_pod_is_a_pair_after_the_window_and_the_others_stay_alone(self):
        # All three must be known before it ends, however busy the machine is.
        self.start_observing(compareWindow="10s")
        self.choose(7, "u1", "a", time="2026-11-20T22:07:19.1Z")
        self.choose(8, "u2", "b", time="2026-11-20T22:09:00Z")
        self.kubelet_evicts("u3", "c")
        self.await_summary(kubelet_only=0, other_pod=1, evictd_only=1, waiting=0)

    def test_what_was_seen_outlives_a_kill_and_is_not_taken_twice(self):
        self.start_observing()
        self.choose(7, "u1", "a")
        self.kubelet_evicts("u2", "b", time="2026-11-20T22:08:19Z")
        self.await_that(lambda: (self.path / "state/comparisons").read_text(encoding="utf-8").count("\n") == 3, "file")
        self.process.kill()
        self.process.wait()
        self.start_observing()
        self.kubelet_evicts("u1", "a")
        self.await_summary(same_pod=1, waiting=1)
        self.assertEqual(self.observed()["kept"], 2)

    def test_a_pod_that_was_not_admitted_is_no_eviction(self):
        self.start_observing()
        refused = pod("u1", name="a")
        refused["status"] = {"phase": "Failed", "reason": "Evicted",
                             "message": "Pod was rejected: The node had condition: [MemoryPressure]. "}
        self.server.put(refused)
        self.kubelet_evicts("u2", "b")
        self.await_summary(waiting=1)
        self.assertEqual(self.observed()["counters"]["evictions"], 1)

    def test_the_example_of_the_document_is_what_is_shown(self):
        shown = self.compare(str(DATA / "comparisons"))
        self.assertEqual(shown.returncode, 0, shown.stderr)
        text = (ROOT / "docs/kubernetes.md").read_text(encoding="utf-8")
        self.assertIn("$ evictctl compare tests/data/kube/comparisons\n" + shown.stdout + "```\n", text)
        sides = json.loads(self.compare("--json", str(DATA / "comparisons")).stdout)["comparisons"][0]
        self.assertIn(f"available: {sides['kubelet']['available'] // 1024}Ki", RECORDED["status"]["message"])
        self.assertEqual(sides["kubelet"]["uid"], RECORDED["metadata"]["uid"])

    def test_an_evictd_that_is_in_no_dry_run_is_told_of(self):
        self.start_observing()
        self.choose(7, "u1", "a", dry_run=False)
        self.await_that(lambda: "dryRun" in self.observed().get("problem", ""), "a problem")
        self.assertEqual(self.observed()["kept"], 0)

    def test_where_nothing_is_compared_evictctl_says_why(self):
        self.start_acting()
        self.await_that(self.status, "a status")
        told = self.compare(str(self.path / "status.sock"))
        self.assertEqual(told.returncode, 1)
        self.assertIn("mode is not observe", told.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
