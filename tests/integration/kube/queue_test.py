# SPDX-License-Identifier: Apache-2.0
"""evictd-kube's queue: nothing that evictd's records call for is lost, and nothing has effect twice.

usage: queue_test.py EVICTD_KUBE
"""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_under_test import pod  # pylint: disable=wrong-import-position
from actions_under_test import ActionCase  # pylint: disable=wrong-import-position
from fake_actions import ChangeFault  # pylint: disable=wrong-import-position
from fake_journal import decision  # pylint: disable=wrong-import-position

# Each step at which it dies, and how often it comes by before that.
DEATHS = [("line-taken", 1), ("entry-half", 1), ("entry-half", 2), ("entry-written", 1), ("entry-synced", 1),
          ("asked", 1), ("asked", 2), ("asked", 3), ("asked", 4), ("answered", 1), ("answered", 2), ("answered", 3),
          ("answered", 4), ("done-noted", 1), ("done-noted", 2), ("done-noted", 4), ("queue-half", 1),
          ("queue-synced", 1), ("queue-replaced", 1)]


class QueueTest(ActionCase):
    def await_done_by(self, name):
        self.await_that(lambda: ("gone", name) in self.server.effects, name)

    def expect_each_once(self, count):
        """Of so many evictions."""
        gone = [effect[1] for effect in self.effects("gone")]
        self.assertEqual(sorted(gone), sorted(f"pod{number}" for number in range(1, count + 1)))
        self.assertEqual(self.server.pods, {})
        evicted = [event["involvedObject"]["name"] for event in self.server.api_events.values()
                   if event["reason"] == "Evicted" and event["count"] == 1]
        self.assertEqual(sorted(evicted), sorted(gone))
        on_node = [event for event in self.server.api_events.values() if event["reason"] == "EvictionThresholdMet"]
        self.assertEqual([event["count"] for event in on_node], [count])

    def start_dying(self, point, time):
        os.environ["EVICTD_FAULT_POINT"] = f"{point}:{time}"
        self.addCleanup(os.environ.pop, "EVICTD_FAULT_POINT", None)
        self.start(self.config())
        del os.environ["EVICTD_FAULT_POINT"]

    def test_killed_at_each_step_nothing_is_lost_or_done_twice(self):
        for number, (point, time) in enumerate(DEATHS, 1):
            with self.subTest(f"{point}:{time}"):
                self.evict(number)
                self.start_dying(point, time)
                self.await_death()
                self.start_acting()
                self.await_done()
                self.expect_each_once(number)
                self.assertEqual(self.stop(), 0)

    def test_no_fault_loses_anything_or_does_it_twice(self):
        throttled = ChangeFault(status=429, headers={"Retry-After": "1"})
        faults = [ChangeFault(status=401), ChangeFault(status=403), ChangeFault(status=500), ChangeFault(status=503),
                  throttled, ChangeFault(half=True), ChangeFault(is_lost=True), ChangeFault(garbage=b"garbage\r\n\r\n"),
                  ChangeFault(status=404, body=b"<html>a proxy</html>"), ChangeFault(status=409, body=b"{}"),
                  ChangeFault(status=302, headers={"Location": "/elsewhere"})]
        self.start_acting()
        number = 0
        for fault in faults:
            # At each of the four requests of an eviction.
            for before in range(4):
                number += 1
                with self.subTest(f"{vars(fault)} after {before}"):
                    self.server.fail_changes(*[ChangeFault()] * before, fault)
                    self.evict(number)
                    self.await_done()
                    self.assertEqual(self.server.faults_of_changes, [])
                    self.expect_each_once(number)

    def test_what_a_server_never_takes_holds_up_nothing(self):
        self.start_acting()
        self.server.fail_changes(ChangeFault(status=422), ChangeFault(status=422), ChangeFault(), ChangeFault(status=422),
                                 ChangeFault(status=422))
        self.evict(1)
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod1")])
        self.assertEqual(self.actions()["counters"]["rejected"], 3)
        self.assertIn("continuing without it", self.log.read_text(encoding="utf-8"))

    def test_a_thousand_wait_for_a_server_and_are_done_in_order(self):
        self.start_acting(requestsPerSecond=500)
        self.server.tokens = set()  # 401 to all, as a server that is away refuses all.
        for number in range(1, 1001):
            self.evict(number)
        self.await_that(lambda: self.actions()["waiting"] == 2000, "all of them", lambda: self.actions()["waiting"])
        self.expect_little_memory()
        self.assertEqual(self.stop(), 0)
        self.start_acting(requestsPerSecond=500)
        self.server.tokens = {"secret"}
        self.await_done()
        self.assertEqual([name for _, name in self.effects("gone")], [f"pod{number}" for number in range(1, 1001)])
        self.expect_each_once(1000)
        self.expect_little_memory()
        # What is done takes no room for ever.
        self.assertLess((self.path / "state/queue").stat().st_size, 1 << 20)

    def expect_little_memory(self):
        """Not of a sanitizer's build, whose memory is its own."""
        program = pathlib.Path(sys.argv[1]).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            return
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        resident_kib = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
        self.assertLess(resident_kib, 40 << 10)

    def test_either_may_be_restarted_first(self):
        self.start_acting()
        self.evict(1)
        self.await_done()
        lines, next_seq = self.journal.lines, self.journal.next_seq
        self.start_journal(first=next_seq)
        self.journal.lines = lines  # As one that has a record file.
        self.evict(2)
        self.await_done()
        self.assertEqual(self.stop(), 0)
        self.evict(3)
        lines, next_seq = self.journal.lines, self.journal.next_seq
        self.start_journal(first=next_seq)
        self.journal.lines = lines
        self.evict(4)
        self.start_acting()
        self.await_done()
        self.expect_each_once(4)
        self.assertEqual(self.actions()["counters"]["skipped"], 0)

    def test_the_first_start_takes_what_is_told_from_then_on(self):
        self.start_acting()
        self.assertEqual(set(self.journal.requests[0]), {"op", "since"})
        self.assertEqual(self.stop(), 0)
        self.start_acting()
        self.assertEqual(self.journal.requests[0], self.journal.requests[1])

    def test_lines_that_evictd_has_lost_are_told_of(self):
        self.start_acting()
        self.evict(1)
        self.await_done()
        self.assertEqual(self.stop(), 0)
        self.journal.kept = 1
        self.evict(2)
        self.evict(3)
        self.start_acting()
        self.await_done()
        self.assertEqual(self.actions()["counters"]["skipped"], 1)
        self.assertEqual(self.effects("gone"), [("gone", "pod1"), ("gone", "pod3")])
        # An evictd whose numbers begin below the cursor, because its clock was set back.
        self.start_journal(first=500)
        self.evict(4)
        self.await_done_by("pod4")
        self.assertEqual(self.actions()["counters"]["skipped"], 2)

    def test_a_queue_that_cannot_be_read_is_set_aside(self):
        self.start_acting()
        self.evict(1)
        self.await_done()
        self.assertEqual(self.stop(), 0)
        queue = self.path / "state/queue"
        queue.write_text('{"version":1,"since":"2026-01-01T00:00:00Z"}\n{"entries":[5]}\n', encoding="ascii")
        self.start_acting()
        self.await_that(lambda: "set aside" in self.log.read_text(encoding="utf-8"))
        self.assertTrue((self.path / "state/queue.damaged").exists())

    def test_a_full_queue_lets_the_journal_wait(self):
        self.server.tokens = set()
        self.start_acting()
        self.journal.tell(*[decision(number, f"uid-{number}", f"pod{number}", events=[]) for number in range(1, 4201)])
        self.await_that(lambda: self.actions()["waiting"] == 4096, "a full queue")
        self.await_that(lambda: "the queue of actions is full" in self.actions()["problem"])
        self.assertEqual(self.log.read_text(encoding="utf-8").count(": recovered"), 0)
        self.server.tokens = {"secret"}
        self.await_done()
        self.assertEqual(self.actions()["counters"]["gone"], 4200)
        self.expect_little_memory()

    def test_two_do_not_keep_one_queue(self):
        self.start_acting()
        first, self.process = self.process, None
        self.start(self.config(manifestDirectory=str(self.path / "other"),
                               statusSocket=str(self.path / "other.sock")))
        second, self.process = self.process, first
        self.assertEqual(second.wait(60), 1)
        self.assertIn("another evictd-kube uses it", self.log.read_text(encoding="utf-8"))

    def test_a_slow_server_holds_up_no_description(self):
        self.start_acting()
        self.server.fail_changes(ChangeFault(hang=True))
        self.evict(1)
        self.await_that(lambda: self.server.changes)
        self.server.put(pod("b", name="b"))
        self.await_that(lambda: "b" in self.manifests())
        # The question is given up after its time limit, and asked again.
        self.await_done()
        self.assertEqual(self.effects("gone"), [("gone", "pod1")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
