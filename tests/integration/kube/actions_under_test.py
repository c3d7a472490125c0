# SPDX-License-Identifier: Apache-2.0
"""evictd-kube between a journal and an API server that are played, and what tests ask of its actions."""
import signal

from kube_under_test import PATIENCE_SECONDS, KubeCase, pod
from fake_actions import ActionKube
from fake_journal import FakeJournal, decision


class ActionCase(KubeCase):
    def setUp(self):
        super().setUp()
        self.server = ActionKube(self.authority)
        self.addCleanup(self.server.stop)
        self.addCleanup(lambda: self.assertEqual(self.server.problems, []))
        self.journal = None
        self.start_journal()

    def start_journal(self, **options):
        if self.journal:
            self.journal.stop()
        self.journal = FakeJournal(str(self.path / "evictd.sock"), **options)
        self.addCleanup(self.journal.stop)

    def config(self, **more):
        return {"podSource": "apiserver", "mode": "assist", "stateDirectory": str(self.path / "state"),
                "evictdSocket": str(self.path / "evictd.sock"), "requestsPerSecond": 1000,
                "apiServer": {"url": self.server.url, "caFile": self.authority.file,
                              "tokenFile": str(self.path / "token")}, **more}

    def start_acting(self, **more):
        """With evictd's journal followed."""
        before = len(self.journal.requests)
        self.start(self.config(**more))
        self.await_that(lambda: len(self.journal.requests) > before, "a follower")

    def evict(self, number, name=None, **more):
        """A pod, and its eviction."""
        name = name or f"pod{number}"
        self.server.put(pod(f"uid-{number}", name=name))
        record = decision(number, f"uid-{number}", name, **more)
        self.journal.tell(record)
        return record

    def actions(self):
        status = self.status()
        return status["actions"] if status else {"waiting": -1, "counters": {}}

    def await_done(self):
        """Everything that the journal told so far was taken and done."""
        last = self.journal.next_seq - 1

        def is_done():
            actions = self.actions()
            return actions["waiting"] == 0 and (actions["cursor"] or 0) >= last

        # Thousands of requests, each with an entry that is synced to disk, take a busy machine minutes.
        self.await_that(is_done, "the end", lambda: self.actions()["counters"].get("asked"))

    def await_effects(self, count):
        self.await_that(lambda: len(self.server.effects) >= count, f"{count} effects")

    def await_death(self):
        """It ended itself."""
        process, self.process = self.process, None
        self.assertEqual(process.wait(PATIENCE_SECONDS), -signal.SIGKILL)

    def effects(self, kind):
        return [effect for effect in self.server.effects if effect[0] == kind]

    def asked_for(self, part):
        return [(method, body) for method, path, body in self.server.changes if part in path]
