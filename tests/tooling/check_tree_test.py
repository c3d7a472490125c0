# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/check_tree.py: what the hot thread may not include."""
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib"))
import check_tree  # noqa: E402


class HotThread(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name, value in (("ROOT", self.root), ("findings", [])):
            patch = mock.patch.object(check_tree, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, name: str, *headers: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"#include {header}\n" for header in headers), encoding="utf-8")

    def findings(self) -> List[str]:
        check_tree.check_hot_thread()
        return check_tree.findings

    def test_may_not_include_what_locks(self):
        self.write("userspace/engine/step.cpp", "<vector>", "<mutex>")
        self.assertEqual(
            self.findings(), ["userspace/engine/step.cpp:2: runs on the hot thread: may not include mutex"]
        )

    def test_finds_what_locks_behind_other_headers(self):
        self.write("userspace/daemon/hot/loop.h", '"daemon/shared/jobs.h"')
        self.write("userspace/daemon/shared/jobs.h", '"daemon/shared/worker.h"', '"evictd/fine.h"')
        self.write("userspace/daemon/shared/worker.h", '"daemon/shared/jobs.h"', "<thread>")
        self.write("include/evictd/fine.h", "<vector>")
        chain = "daemon/shared/jobs.h > daemon/shared/worker.h > thread"
        self.assertEqual(
            self.findings(), [f"userspace/daemon/hot/loop.h:1: runs on the hot thread: may not include {chain}"]
        )

    def test_finds_another_room_of_the_daemon_behind_a_shared_header(self):
        self.write("userspace/daemon/hot/loop.h", '"daemon/shared/jobs.h"')
        self.write("userspace/daemon/shared/jobs.h", '"daemon/pods/rows.h"')
        self.assertIn("daemon/shared/jobs.h > daemon/pods/rows.h", self.findings()[0])

    def test_reports_a_hot_header_once_however_many_include_it(self):
        self.write("userspace/daemon/hot/loop.h", "<mutex>")
        self.write("userspace/daemon/hot/loop.cpp", '"daemon/hot/loop.h"')
        self.assertEqual(len(self.findings()), 1)

    def test_may_include_the_options_of_the_log(self):
        self.write("userspace/daemon/hot/loop.h", '"base/log_options.h"')
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
