# SPDX-License-Identifier: Apache-2.0
"""evictctl top in a real terminal, beside the real evictd. Needs root for evictd itself."""
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from node import PATIENCE, Node
from terminal import Terminal, column

SIGNAL = "allocatableMemory.available"


class FakeEvictd(threading.Thread):
    """Answers each question for the status with one text, on a socket of its own; for what no real evictd would say."""

    def __init__(self, path, status):
        super().__init__(daemon=True)
        self.status = status
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.start()

    def run(self):
        followers = []
        while True:
            client, _ = self.listener.accept()
            if b"follow" in client.recv(4096):
                followers.append(client)
                continue
            client.sendall(json.dumps(self.status).encode() + b"\n")
            client.close()


class TopTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make cgroups and to run evictd")
        self.node = Node(self)
        self.node.add_quiet_pod("aaaa", "shop", "cart", priority=100, request_mib=64)
        self.node.add_quiet_pod("bbbb", "shop", "orders", priority=1000, request_mib=64)
        self.node.start_evictd()

    def top(self, *options, **more):
        return Terminal(self.node, self.node.bin / "evictctl", "top", "--socket", self.node.directory / "control.sock",
                        *options, **more)

    def order_on(self, terminal, *names):
        """Waits until pods stand in this order."""
        def found():
            lines = terminal.lines()
            places = [next((i for i, line in enumerate(lines) if f" {name} " in line), -1) for name in names]
            return -1 not in places and places == sorted(places)
        self.node.wait_until(found, names)

    def test_an_eviction_is_told_as_it_happens(self):
        terminal = self.top()
        text = terminal.wait_for("evictd ", "UTC", SIGNAL, "shop/cart", "no pressure", "started, events from")
        self.order_on(terminal, "shop/cart", "shop/orders")
        self.assertRegex(text, SIGNAL + r" hard \S+ +[0-9.]+Mi +<128Mi +[0-9.]+Mi")
        self.node.add_hog("cccc", "batch", "report").wait(PATIENCE)
        terminal.wait_for("evictions 1", "MemoryPressure", "pod batch/report is released")

    def test_keys_sort_filter_pause_and_open_a_pod(self):
        terminal = self.top("--sort", "priority")
        terminal.wait_for("sort: priority")
        self.order_on(terminal, "shop/cart", "shop/orders")
        terminal.keys("r")
        terminal.wait_for("sort: priority, reversed")
        self.order_on(terminal, "shop/orders", "shop/cart")
        terminal.keys("n")
        terminal.wait_for("sort: name ")
        self.order_on(terminal, "shop/cart", "shop/orders")
        terminal.keys("/", "O", "R", "D")
        terminal.wait_for("filter: ORD_", "shop/orders")
        terminal.wait_for_none("shop/cart")
        terminal.keys("Enter", "Enter")
        terminal.wait_for("POD shop/orders", "/kubepods/podbbbb", "Burstable, 1000", "request", "below it")
        terminal.keys("Escape")
        terminal.wait_for("filter: ORD ")
        terminal.keys("Escape")
        terminal.wait_for("shop/cart", "shop/orders")
        terminal.keys("Down", "Enter")
        terminal.wait_for("POD shop/orders")
        terminal.keys("?")
        terminal.wait_for("KEYS", "turns the order round")

    def test_a_pause_keeps_the_screen_and_counts_events(self):
        terminal = self.top()
        terminal.wait_for("shop/cart", "started, events from")
        terminal.keys("Space")
        terminal.wait_for("PAUSED, 0 new events")
        self.node.add_hog("cccc", "batch", "report").wait(PATIENCE)
        self.node.wait_until(lambda: "PAUSED, 0 new" not in terminal.screen(), "new events")
        self.assertNotIn("batch/report", terminal.screen())
        terminal.keys("Space")
        terminal.wait_for("pod batch/report is released", "evictions 1")
        terminal.wait_for_none("PAUSED")

    def test_it_follows_the_size_of_the_terminal(self):
        terminal = self.top()
        terminal.wait_for("shop/cart", "q quit")
        terminal.resize(40, 10)
        terminal.wait_for("evictctl top needs 60 x 16", "this is 40 x 10")
        terminal.resize(132, 40)
        terminal.wait_for("shop/cart", "GROWTH/s")
        self.node.wait_until(lambda: "q quit" in terminal.lines()[39], "keys in the last line")
        terminal.resize(60, 16)
        terminal.wait_for("evictd ", "shop/cart", "q quit")
        self.assertNotIn("GROWTH/s", terminal.screen())

    def test_an_evictd_that_goes_is_waited_for(self):
        terminal = self.top()
        terminal.wait_for("shop/cart", "no pressure")
        Node.end(self.node.evictd)
        terminal.wait_for("evictd is unavailable", "shop/cart")
        self.node.start_evictd()
        terminal.wait_for_none("evictd is unavailable")
        self.node.add_hog("cccc", "batch", "report").wait(PATIENCE)
        terminal.wait_for("pod batch/report is released")

    def test_it_begins_without_evictd_and_finds_it(self):
        Node.end(self.node.evictd)
        terminal = self.top()
        terminal.wait_for("evictd is unavailable")
        self.node.start_evictd()
        terminal.wait_for("shop/cart", "started, events from")

    def test_the_terminal_is_given_back_however_it_ends(self):
        for end in ("q", "C-c", "C-\\", signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(end=end):
                terminal = self.top()
                terminal.wait_for("shop/cart")
                self.assertEqual(terminal.facts("#{alternate_on} #{cursor_flag}"), "1 0")
                if isinstance(end, str):
                    terminal.keys(end)
                else:
                    os.kill(terminal.program(), end)
                terminal.expect_given_back()
                terminal.close()
                (self.node.directory / "stty-after").unlink()

    def test_it_ends_with_its_terminal(self):
        terminal = self.top()
        terminal.wait_for("shop/cart")
        gone = os.pidfd_open(terminal.program())
        terminal.close()
        self.node.wait_until(lambda: signal_fails(gone), "the program is gone")
        os.close(gone)

    def test_what_stays_the_same_is_not_drawn_anew(self):
        terminal = self.top()
        terminal.wait_for("shop/cart", "no pressure")

        def see_the_clock_move_twice():
            for _ in range(2):
                clock = terminal.lines()[0]
                self.node.wait_until(lambda before=clock: terminal.lines()[0] != before, "the clock goes on")

        written = terminal.written_while(see_the_clock_move_twice)
        self.assertNotEqual(written, b"")
        for sequence in (b"\x1b[2J", b"\x1b[J", b"THRESHOLD", b"shop/cart"):
            self.assertNotIn(sequence, written)

    def test_hostile_names_do_not_break_the_screen(self):
        status = json.loads(self.ask(b'{"op":"status"}\n'))
        for pod, name in zip(status["pods"], ("a\x1b[2J\x1b[1;1Hb\r\n\x9b5Dc", "日本語のポッド名"), strict=True):
            pod["name"] = name
        status["node"] = "n\x1b]0;owned\x07"
        path = self.node.directory / "fake.sock"
        FakeEvictd(path, status)
        terminal = Terminal(self.node, self.node.bin / "evictctl", "top", "--socket", path, width=132)
        terminal.wait_for("a\\x1b[2J\\x1b[1;1Hb\\x0d\\x0a", "日本語のポッド名", "Burstable")
        lines = terminal.lines()
        self.assertEqual(len(lines), 24)
        self.assertIn("n\\x1b]0;owned\\x07", lines[0])
        places = {column(line, "Burstable") for line in lines if "Burstable" in line}
        self.assertEqual(len(places), 1, terminal.screen())
        self.assertNotEqual(terminal.facts("#{pane_title}"), "owned")

    def ask(self, request):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.node.directory / "control.sock"))
            client.sendall(request)
            with client.makefile("rb") as answer:
                return answer.readline()

    def test_colours_and_characters_are_those_of_the_terminal(self):
        colours = self.top(environment={"TERM": "screen-256color"})
        colours.wait_for("shop/cart", "█", "┃")
        self.assertRegex(colours.screen("-e"), r"\x1b\[[0-9;]*32m")
        plain = self.top(environment={"TERM": "vt100", "LC_ALL": "C"})
        plain.wait_for("shop/cart", "#", "|")
        self.assertNotRegex(plain.screen("-e"), r"\x1b\[[0-9;]*3[1-7]m")
        self.assertTrue(plain.screen().isascii(), plain.screen())

    def test_without_a_fit_terminal_it_says_so(self):
        ended = subprocess.run([self.node.bin / "evictctl", "top"], stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stdout, "")
        self.assertIn("stdin and stdout must be a terminal", ended.stderr)
        for term, why in (("dumb", "TERM=dumb: the cursor of this terminal cannot be moved"),
                          ("no-such-terminal", "TERM=no-such-terminal: there is no description of this terminal")):
            terminal = self.top(environment={"TERM": term}, width=132)
            terminal.wait_for(why, "has ended with 1")
            terminal.close()


def signal_fails(pidfd):
    try:
        signal.pidfd_send_signal(pidfd, 0)
        return False
    except ProcessLookupError:
        return True


if __name__ == "__main__":
    unittest.main(verbosity=2)
