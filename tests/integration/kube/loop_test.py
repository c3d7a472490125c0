# SPDX-License-Identifier: Apache-2.0
"""evictd-kube where the pods of a controller are evicted again and again.

usage: loop_test.py EVICTD_KUBE
"""
import datetime
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from actions_under_test import ActionCase  # pylint: disable=wrong-import-position
from fake_journal import decision  # pylint: disable=wrong-import-position
from kube_under_test import pod  # pylint: disable=wrong-import-position

OTHERS = {"key": "team", "value": "a", "effect": "NoSchedule"}
LOOP = {"key": "evictd.dev/eviction-loop", "effect": "NoSchedule"}


class LoopTest(ActionCase):
    def evict_owned(self, number, minute=0, owner="web"):
        """A pod of a controller, and its eviction so many minutes after a fixed moment."""
        made = pod(f"uid-{number}", name=f"{owner}-{number}")
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": f"uid-{owner}", "controller": True}]
        self.server.put(made)
        self.await_that(lambda: (self.pods / f"uid-{number}.json").exists(), "a manifest")
        self.journal.tell(decision(number, f"uid-{number}", f"{owner}-{number}", time=self.time(minute)))

    @staticmethod
    def time(minute):
        return (datetime.datetime(2026, 11, 20, 22, 3, 11) + datetime.timedelta(minutes=minute)).isoformat() + "Z"

    def evict_now(self, number, owner="web"):
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        fixed = datetime.datetime(2026, 11, 20, 22, 3, 11)
        self.evict_owned(number, (now - fixed) / datetime.timedelta(minutes=1), owner)

    def loop_events(self):
        return [event for event in self.server.api_events.values() if event["reason"] == "EvictionLoop"]

    def controllers(self):
        return self.actions()["loops"]["controllers"]

    def test_three_evictions_within_ten_minutes_are_told_on_the_controller_once(self):
        self.start_acting()
        for number in range(1, 4):
            self.evict_owned(number, 4 * number)
            self.await_done()
            self.assertEqual(len(self.loop_events()), number // 3)
        event = self.loop_events()[0]
        self.assertEqual(event["involvedObject"], {"kind": "ReplicaSet", "namespace": "n", "name": "web",
                                                   "uid": "uid-web", "apiVersion": "apps/v1"})
        self.assertEqual((event["type"], event["count"], event["metadata"]["namespace"]), ("Warning", 1, "n"))
        self.assertEqual(event["message"],
                         "evictd has evicted 3 pods of this ReplicaSet from node node1 within 10 minutes")
        [controller] = self.controllers()
        self.assertEqual((controller["name"], controller["loops"], [one["id"] for one in controller["evictions"]]),
                         ("web", 1, [1, 2, 3]))
        self.assertEqual(self.server.node["spec"]["taints"], [OTHERS], "loopDamping is none")

    def test_pods_of_others_and_evictions_long_ago_make_no_loop(self):
        self.start_acting()
        self.evict_owned(1, 0)
        self.evict_owned(2, 0, owner="other")
        self.evict_owned(3, 11)
        self.evict_owned(4, 20)
        self.evict(5)
        self.await_done()
        self.assertEqual((self.loop_events(), self.controllers()), ([], []))
        self.assertEqual(self.actions()["counters"]["uncontrolled"], 1)

    def test_a_second_loop_is_counted_on_the_same_event_after_a_kill_too(self):
        self.start_acting()
        for number in range(1, 6):
            self.evict_owned(number, number)
        self.await_done()
        self.process.kill()
        self.process.wait()
        self.start_acting()
        self.evict_owned(6, 6)
        self.await_done()
        self.assertEqual([event["count"] for event in self.loop_events()], [2])
        self.assertEqual(self.controllers()[0]["loops"], 2)

    def test_a_taint_keeps_new_pods_off_and_outlives_a_restart(self):
        self.start_acting(loopDamping="taint")
        for number in range(1, 4):
            self.evict_now(number)
        self.await_that(lambda: self.server.node["spec"]["taints"] == [OTHERS, LOOP], "a taint")
        self.assertIsNotNone(self.actions()["loops"]["damped_until"])
        self.assertEqual([one["type"] for one in self.server.node["status"]["conditions"]], ["Ready"],
                         "mode assist tells of no condition")
        self.assertEqual(self.stop(), 0)
        self.server.change_node({"spec": {"taints": [OTHERS]}})
        self.start_acting(loopDamping="taint")
        self.await_that(lambda: self.server.node["spec"]["taints"] == [OTHERS, LOOP], "the taint again")
        self.assertEqual(self.stop(), 0)
        # As if its time had come meanwhile.
        queue = self.path / "state/queue"
        lines = [json.loads(line) for line in queue.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            if "loops" in line:
                line["loops"]["damped_until"] = "2026-11-20T22:03:11Z"
        queue.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        self.start_acting(loopDamping="taint")
        self.await_that(lambda: self.server.node["spec"]["taints"] == [OTHERS], "no taint")

    def test_a_loop_of_long_ago_taints_nothing(self):
        self.start_acting(mode="own", loopDamping="taint")
        for number in range(1, 4):
            self.evict_owned(number)
        self.await_done()
        self.assertEqual(len(self.loop_events()), 1)
        self.await_that(lambda: "EvictdMemoryPressure" in
                        [one["type"] for one in self.server.node["status"]["conditions"]], "conditions")
        self.assertEqual(self.server.node["spec"]["taints"], [OTHERS])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
