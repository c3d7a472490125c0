# SPDX-License-Identifier: Apache-2.0
"""evictd-kube in mode own: the node's pressure as taints and conditions.

usage: own_test.py EVICTD_KUBE
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from actions_under_test import ActionCase  # pylint: disable=wrong-import-position

OTHERS = {"key": "team", "value": "a", "effect": "NoSchedule"}
MEMORY = {"key": "evictd.dev/memory-pressure", "effect": "NoSchedule"}
DISK = {"key": "evictd.dev/disk-pressure", "effect": "NoSchedule"}


class OwnTest(ActionCase):
    def start_own(self, **more):
        self.start_acting(mode="own", **more)

    def tell_condition(self, name, is_set, time="2026-11-20T22:03:13Z"):
        self.journal.tell({"schema": 1, "kind": "condition", "time": time, "type": name, "status": is_set})

    def await_taints(self, *taints):
        self.await_that(lambda: self.server.node["spec"]["taints"] == list(taints), f"taints {taints}")

    def condition(self, name):
        return next((one for one in self.server.node["status"]["conditions"] if one["type"] == name), None)

    def await_condition(self, name, status):
        self.await_that(lambda: (self.condition(name) or {}).get("status") == status, f"{name} {status}")

    def test_pressure_is_a_taint_and_a_condition_for_as_long_as_it_lasts(self):
        self.start_own()
        self.await_condition("EvictdMemoryPressure", "False")
        self.await_taints(OTHERS)
        self.tell_condition("MemoryPressure", True)
        self.await_taints(OTHERS, MEMORY)
        self.await_condition("EvictdMemoryPressure", "True")
        self.assertEqual(self.condition("EvictdMemoryPressure")["lastTransitionTime"], "2026-11-20T22:03:13Z")
        self.assertIsNone(self.condition("MemoryPressure"))
        self.tell_condition("DiskPressure", True)
        self.await_taints(OTHERS, MEMORY, DISK)
        self.tell_condition("MemoryPressure", False)
        self.await_taints(OTHERS, DISK)
        self.await_condition("EvictdMemoryPressure", "False")
        self.await_condition("Ready", "True")

    def test_an_eviction_is_made_final_too(self):
        self.start_own()
        self.evict(1)
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod1")])

    def test_a_node_that_somebody_changed_meanwhile_is_read_again(self):
        added = {"key": "other", "effect": "NoExecute"}

        def change():
            self.server.before_taints = lambda: None
            self.server.change_node({"spec": {"taints": [OTHERS, added]}})

        self.start_own()
        self.await_condition("EvictdMemoryPressure", "False")
        self.server.before_taints = change
        self.tell_condition("MemoryPressure", True)
        self.await_taints(OTHERS, added, MEMORY)
        self.assertEqual(self.actions()["node"]["conflicts"], 1)

    def test_pressure_outlives_a_restart_of_either(self):
        self.start_own()
        self.tell_condition("MemoryPressure", True)
        self.await_taints(OTHERS, MEMORY)
        self.await_condition("EvictdMemoryPressure", "True")
        self.assertEqual(self.stop(), 0)
        self.server.change_node({"spec": {"taints": [OTHERS]}})
        self.start_own()
        self.await_taints(OTHERS, MEMORY)
        before = self.server.effects.count(("node",))
        # An evictd that was started again, and tells of the pressure with its first pass.
        self.journal.tell({"schema": 1, "kind": "daemon", "what": "started", "time": "2026-11-20T22:05:00Z"})
        self.tell_condition("MemoryPressure", True, "2026-11-20T22:05:00Z")
        self.await_done()
        self.await_that(lambda: (self.condition("EvictdMemoryPressure") or {}).get("lastTransitionTime") is not None)
        self.assertEqual(self.server.effects.count(("node",)), before)
        # One that has none.
        self.journal.tell({"schema": 1, "kind": "daemon", "what": "started", "time": "2026-11-20T22:06:00Z"})
        self.await_taints(OTHERS)

    def test_pressure_that_ended_in_lines_that_are_lost_is_over(self):
        self.start_own()
        self.tell_condition("MemoryPressure", True)
        self.await_taints(OTHERS, MEMORY)
        self.assertEqual(self.stop(), 0)
        self.tell_condition("MemoryPressure", False)
        self.journal.kept = 1
        self.journal.conditions = {"MemoryPressure": False, "DiskPressure": True, "PIDPressure": False}
        self.evict(1)
        self.start_own()
        self.await_taints(OTHERS, DISK)

    def test_without_a_kubelet_the_standard_conditions_are_kept(self):
        self.start_own(nodeConditions="standard")
        self.tell_condition("MemoryPressure", True)
        self.await_condition("MemoryPressure", "True")
        self.assertEqual({name: self.condition("MemoryPressure")[name] for name in ("reason", "message")},
                         {"reason": "KubeletHasInsufficientMemory",
                          "message": "kubelet has insufficient memory available"})
        self.assertIsNone(self.condition("EvictdMemoryPressure"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
