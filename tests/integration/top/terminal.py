# SPDX-License-Identifier: Apache-2.0
"""A terminal of the test's own, by tmux, and a program in it."""
import os
import pathlib
import re
import shlex
import subprocess

# What the shell says before and behind the program, on the screen that the program has to give back.
BEFORE, BEHIND = "as it was before", "has ended with"


class Terminal:
    """One server of tmux with one window; both gone after the test."""

    def __init__(self, node, *command, width=80, height=24, environment=None):
        self.node = node
        self.directory = node.directory
        self.socket = self.directory / f"tmux-{id(self):x}"
        self.test = node.test
        settings = {"LC_ALL": "C.UTF-8", **(environment or {})}
        program = " ".join([*(f"{name}={shlex.quote(value)}" for name, value in settings.items()),
                            *(shlex.quote(str(word)) for word in command)])
        script = (f"stty -g >{self.directory}/stty-before; echo {BEFORE}; env {program} 2>&1; echo {BEHIND} $?; "
                  f"stty -g >{self.directory}/stty-after; exec cat")
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), script)
        self.test.addCleanup(self.close)

    def tmux(self, *arguments, check=True):
        return subprocess.run(["tmux", "-u", "-f", "/dev/null", "-S", self.socket, *arguments], check=check, text=True,
                              capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout

    def close(self):
        self.tmux("kill-server", check=False)

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def lines(self):
        return self.screen().splitlines()

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def facts(self, names):
        return self.tmux("display-message", "-p", names).strip()

    def wait_for(self, *words):
        """The screen once all of `words` are on it."""
        def shown():
            text = self.screen()
            return text if all(word in text for word in words) else None
        try:
            return self.node.wait_until(shown, words)
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen:\n{self.screen()}") from None

    def wait_for_none(self, words):
        self.node.wait_until(lambda: words not in self.screen(), f"no {words!r}")

    def program(self):
        """The process that runs in front of the shell."""
        shell = self.facts("#{pane_pid}")
        children = pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="ascii").split()
        return int(children[0])

    def expect_given_back(self, status=0):
        """That the terminal is as it was before the program."""
        text = self.wait_for(f"{BEHIND} {status}")
        self.test.assertIn(BEFORE, text)
        self.node.wait_until(lambda: (self.directory / "stty-after").exists() and
                             (self.directory / "stty-after").read_text(encoding="ascii"), "the terminal's settings")
        self.test.assertEqual(*((self.directory / f"stty-{when}").read_text(encoding="ascii")
                                for when in ("before", "after")))
        self.test.assertEqual(self.facts("#{alternate_on} #{cursor_flag} #{keypad_flag}"), "0 1 0")

    def written_while(self, action):
        """The bytes that the program wrote while `action()` ran."""
        into = self.directory / "written"
        self.tmux("pipe-pane", f"cat >{into}")
        action()
        self.tmux("pipe-pane")
        return into.read_bytes()


def column(line, word):
    """Where `word` begins, in cells; what tmux captures has one character a cell but for wide ones."""
    return sum(2 if re.match(r"[\u1100-\ud7ff\uf900-\ufaff\uff00-\uff60]", letter) else 1
               for letter in line[:line.index(word)])
