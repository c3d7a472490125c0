# SPDX-License-Identifier: Apache-2.0
"""evictd-kube in mode assist: what one eviction becomes at the API server.

usage: assist_test.py EVICTD_KUBE
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_under_test import DATA, pod  # pylint: disable=wrong-import-position
from actions_under_test import ActionCase  # pylint: disable=wrong-import-position
from fake_journal import decision  # pylint: disable=wrong-import-position

RECORDED = json.loads((DATA / "kubelet_requests.json").read_text(encoding="utf-8"))


def recorded_decision():
    """The decision of evictd of which the recorded requests of a kubelet come."""
    event = RECORDED["event.POST.Evicted"]["body"]
    about = event["involvedObject"]
    return decision(1, about["uid"], about["name"], namespace=about["namespace"], time="2026-11-20T22:03:12.000000Z",
                    message=event["message"], annotations=event["metadata"]["annotations"],
                    events=[{"on": "node", "type": "Warning", "reason": "EvictionThresholdMet",
                             "message": "Attempting to reclaim memory"},
                            {"on": "pod", "type": "Warning", "reason": "Evicted", "message": event["message"]}],
                    pod_conditions=[{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet",
                                     "message": event["message"]}])


class AssistTest(ActionCase):
    def test_an_eviction_is_told_and_made_final(self):
        self.start_acting()
        self.evict(7)
        self.await_done()
        self.assertEqual([effect[0] for effect in self.server.effects], ["status", "gone", "event", "event"])
        (method, body), = self.asked_for("/eviction")
        self.assertEqual(method, "POST")
        self.assertEqual(body, {"kind": "Eviction", "apiVersion": "policy/v1",
                                "metadata": {"name": "pod7", "namespace": "n"},
                                "deleteOptions": {"gracePeriodSeconds": 1, "preconditions": {"uid": "uid-7"}}})

    def test_the_status_is_byte_for_byte_that_of_a_kubelet(self):
        self.start_acting()
        record = recorded_decision()
        self.server.put(dict(pod(record["uid"], name=record["name"]),
                             metadata={"name": record["name"], "namespace": "default", "uid": record["uid"]}))
        self.journal.tell(record)
        self.await_done()
        recorded = json.loads(json.dumps(RECORDED["pod.status.PATCH.Evicted"]))
        method, path, body = self.server.changes[0]
        self.assertEqual((method, path), (recorded["m"], recorded["path"]))
        # What containers ended with, and the order of what is not in the patch, are the kubelet's to say.
        del recorded["body"]["status"]["containerStatuses"]
        del recorded["body"]["status"]["$setElementOrder/conditions"]
        self.assertEqual(body, recorded["body"])

    def test_its_events_are_those_of_a_kubelet(self):
        self.start_acting()
        record = recorded_decision()
        self.journal.tell(record)
        self.await_done()
        posted = {body["reason"]: (path, body) for method, path, body in self.server.changes if "events" in path}
        for reason in ("EvictionThresholdMet", "Evicted"):
            with self.subTest(reason):
                path, body = posted[reason]
                recorded = RECORDED["event.POST." + reason]
                self.assertEqual(path, recorded["path"])
                expected = {name: value for name, value in recorded["body"].items()
                            if name not in ("metadata", "eventTime", "firstTimestamp", "lastTimestamp", "source",
                                            "reportingComponent")}
                expected["involvedObject"].pop("resourceVersion", None)
                self.assertEqual({name: body[name] for name in expected}, expected)
                self.assertEqual(body["metadata"].get("annotations"), recorded["body"]["metadata"].get("annotations"))
                self.assertEqual(body["source"], {"component": "evictd", "host": "node1"})
                self.assertEqual(body["firstTimestamp"], "2026-11-20T22:03:12Z")

    def test_a_budget_is_passed_over_as_a_kubelet_does(self):
        self.server.budgets.add("pod1")
        self.start_acting()
        self.evict(1)
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod1")])
        method, body = self.asked_for("/pods/pod1")[-1]
        self.assertEqual((method, body["preconditions"], body["gracePeriodSeconds"]), ("DELETE", {"uid": "uid-1"}, 1))

    def test_a_respected_budget_holds_its_pod_alone(self):
        self.server.budgets.add("pod1")
        self.start_acting(respectDisruptionBudgets=True)
        self.evict(1)
        self.evict(2)
        self.await_that(lambda: ("gone", "pod2") in self.server.effects)
        self.await_that(lambda: self.actions()["counters"]["budgets"] >= 2)
        self.assertEqual([method for method, _ in self.asked_for("pods/pod1") if method == "DELETE"], [])
        self.server.budgets.clear()
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod2"), ("gone", "pod1")])

    def test_an_older_server_is_asked_in_its_version(self):
        self.server.policies = {"policy/v1beta1"}
        self.start_acting()
        self.evict(1)
        self.evict(2)
        self.await_done()
        self.assertEqual([body["apiVersion"] for _, body in self.asked_for("/eviction")],
                         ["policy/v1", "policy/v1beta1", "policy/v1beta1"])
        self.server.policies = {"policy/v1"}
        self.evict(3)
        self.await_done()
        self.assertEqual(len(self.effects("gone")), 3)

    def test_a_server_without_evictions_is_asked_to_delete(self):
        self.server.policies = set()
        self.start_acting()
        self.evict(1)
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod1")])

    def test_another_pod_of_the_same_name_is_left_alone(self):
        self.start_acting()
        self.server.put(pod("another", name="pod1"))
        self.journal.tell(decision(1, "uid-1", "pod1"))
        self.await_done()
        self.assertEqual(self.effects("gone") + self.effects("status"), [])
        self.assertEqual(self.actions()["counters"]["gone"], 1)
        self.assertIn("another", self.server.pods)

    def test_a_dry_run_and_the_end_of_an_eviction_call_for_nothing(self):
        self.start_acting()
        self.evict(1, dry_run=True)
        record = self.evict(2)
        self.journal.tell(dict(record, state="released"))
        # Found under way by an evictd that knows no more than who it was.
        self.journal.tell(decision(9, record["uid"], record["name"], trigger="restart"))
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod2")])
        self.assertEqual(len(self.effects("event")), 2)
        self.assertEqual(len(self.server.changes), 4)

    def test_the_grace_that_is_left_is_asked_for(self):
        self.start_acting()
        self.evict(1, time="2999-01-01T00:00:00.000000Z", grace_seconds=30, state="terminating")
        self.await_done()
        self.assertEqual(self.asked_for("/eviction")[0][1]["deleteOptions"]["gracePeriodSeconds"], 30)

    def test_what_happens_again_is_counted_on_one_event(self):
        self.start_acting()
        for number in range(1, 4):
            self.evict(number)
        self.await_done()
        on_node = [event for event in self.server.api_events.values() if event["reason"] == "EvictionThresholdMet"]
        self.assertEqual([event["count"] for event in on_node], [3])
        counted = [path for method, path, _ in self.server.changes if method == "PATCH" and "events" in path]
        self.assertEqual(len(counted), 2)
        # After a restart too, and when the server has forgotten the event.
        self.assertEqual(self.stop(), 0)
        self.server.api_events.clear()
        self.start_acting()
        self.evict(4)
        self.await_done()
        on_node = [event for event in self.server.api_events.values() if event["reason"] == "EvictionThresholdMet"]
        self.assertEqual([event["count"] for event in on_node], [4])

    def test_a_pod_that_was_not_gone_in_time_is_told_of(self):
        self.start_acting()
        self.journal.tell({"schema": 1, "kind": "progress", "id": 1, "pod": "n/pod1", "uid": "uid-1",
                           "time": "2026-11-20T22:03:20.5Z", "state": "exceeded_grace", "event": "ExceededGracePeriod",
                           "not_killed": "", "dry_run": False})
        self.await_done()
        event, = self.server.api_events.values()
        self.assertEqual((event["reason"], event["involvedObject"]["uid"]), ("ExceededGracePeriod", "uid-1"))
        self.assertEqual(event["message"], "Container runtime did not kill the pod within specified grace period.")

    def test_names_that_no_address_may_have_make_no_request(self):
        self.start_acting()
        for number, (namespace, name, uid) in enumerate((
                ("..", "a", "u"), ("n", "a/../b", "u"), ("n", "a", "../u"), ("", "", "glob"), ("n", "a?x=1", "u"),
                ("n", "a", "U%2f"), ("N", "a", "u"))):
            self.journal.tell(decision(number, uid, name, namespace=namespace, events=[]))
        self.journal.tell({"kind": ["decision"], "name": {}}, {"kind": "decision", "state": "killed", "events": 5})
        self.evict(99)
        self.await_done()
        self.assertEqual({path.split("/")[6] for _, path, _ in self.server.changes if "/pods/" in path}, {"pod99"})
        self.assertEqual(self.actions()["counters"]["unnamed"], 8)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
