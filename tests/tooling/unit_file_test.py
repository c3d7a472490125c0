#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The units in deploy/: they let evictd do what it does."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Of what evictd calls by hand, what @system-service has: systemd-analyze syscall-filter @system-service.
IN_SYSTEM_SERVICE = {"close_range", "getdents64", "io_destroy", "io_getevents", "io_setup", "io_submit", "ioprio_set",
                     "openat2", "pidfd_open", "pidfd_send_signal", "sched_getattr", "sched_setattr"}
# What is no part of evictd.
ELSEWHERE = {"cli", "load", "stage"}


def called_by_hand():
    """{name: file}: system calls in the sources of evictd."""
    calls = {}
    for source in sorted((ROOT / "userspace").rglob("*.cpp")):
        name = source.relative_to(ROOT / "userspace")
        if name.parts[0] in ELSEWHERE:
            continue
        text = source.read_text(encoding="utf-8")
        found = re.findall(r"\bSYS_([a-z][a-z0-9_]*)", text)
        calls.update((call, str(name)) for call in found)
    return calls


class UnitFileTest(unittest.TestCase):
    def test_its_filter_lets_through_what_evictd_calls(self):
        unit = (ROOT / "deploy/evictd.service.in").read_text(encoding="utf-8")
        allowed = set(re.search(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE).group(1).split())
        self.assertIn("@system-service", allowed)
        calls = called_by_hand()
        self.assertIn("quotactl_fd", calls, "the sources were not found")
        refused = {call: source for call, source in calls.items() if call not in allowed | IN_SYSTEM_SERVICE}
        self.assertEqual(refused, {}, "not in SystemCallFilter of the unit")

    def test_each_lets_notifications_open_the_files_of_cgroups_that_others_own(self):
        for name in ("evictd.service.in", "evictd-notify.service.in"):
            unit = (ROOT / "deploy" / name).read_text(encoding="utf-8")
            allowed = re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.MULTILINE).group(1).split()
            self.assertIn("CAP_DAC_OVERRIDE", allowed, name)

    def test_those_of_evictd_let_openat2_through(self):
        """RestrictSUIDSGID= refuses it with ENOSYS, whatever SystemCallFilter= says."""
        self.assertIn("openat2", called_by_hand())
        for name in ("evictd.service.in", "evictd-notify.service.in"):
            unit = (ROOT / "deploy" / name).read_text(encoding="utf-8")
            self.assertNotIn("RestrictSUIDSGID=yes", unit, name)

    def test_each_has_tasks_left_where_all_hang_that_close_what_clients_passed(self):
        source = (ROOT / "userspace/notify/disposer.h").read_text(encoding="utf-8")
        closing = int(re.search(r"kMostThreads = (\d+);", source).group(1))
        for name, own in (("evictd-notify.service.in", 8), ("evictd.service.in", 64)):
            unit = (ROOT / "deploy" / name).read_text(encoding="utf-8")
            tasks = int(re.search(r"^TasksMax=(\d+)$", unit, re.MULTILINE).group(1))
            self.assertGreaterEqual(tasks, closing + own, name)


if __name__ == "__main__":
    sys.exit(unittest.main())
