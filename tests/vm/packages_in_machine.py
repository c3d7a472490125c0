# SPDX-License-Identifier: Apache-2.0
"""The Debian packages on a machine with systemd: installed, upgraded, removed, purged. Runs in the virtual machine.

usage: packages_in_machine.py FOLDER   which has the packages
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(sys.argv[1]).resolve()
CONFIG = Path("/etc/evictd/evictd.yaml")
# Every soft threshold is met at once, and a victim has long to go: it is in its grace while the package is upgraded.
EVICTING = """compatibility: "1.26"
podGlobs:
  - glob: /system.slice/evictee.service
evictionHard:
  memory.available: 1Mi
evictionSoft:
  memory.available: 99%
evictionSoftGracePeriod:
  memory.available: 1s
evictionMaxPodGracePeriod: 3600
recordFile: /var/lib/evictd/records.jsonl
"""
# What apt, dpkg, systemd and whoever changes groups keep of anything that they do.
KEEPERS = ("/var/lib/dpkg", "/var/lib/apt", "/var/lib/systemd", "/var/lib/private", "/var/cache", "/var/log", "/var/backups",
           "/var/tmp", "/run/command", "/run/dbus", "/run/lock", "/run/log", "/run/out", "/run/private", "/run/systemd",
           "/run/udev", "/run/user", "/etc/group-", "/etc/gshadow-", "/etc/.pwd.lock")


def run(*command, check=True):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PYTHONDONTWRITEBYTECODE": "1"})
    if check and done.returncode != 0:
        journal = subprocess.run(["journalctl", "--no-pager", "-n", "40", "-u", "evictd*"], capture_output=True, text=True,
                                 check=False).stdout
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{journal}")
    return done.stdout.strip()


def package(name):
    return next(FOLDER.glob(f"{name}_*.deb"))


def install(*packages):
    return run("apt-get", "install", "-y", "--no-install-recommends", *packages)


def status():
    return json.loads(run("evictctl", "status", "--json"))


def files():
    found = set()
    for place in ("/etc", "/usr", "/var", "/run", "/opt", "/srv"):
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if not os.path.join(folder, name).startswith(KEEPERS)]
            found.update(os.path.join(folder, name) for name in folders + names)
    return {name for name in found if not name.startswith(KEEPERS)}


def unit(name, key):
    return run("systemctl", "show", "--value", "--property", key, name)


def await_line(words, *command):
    """Waits until a program has printed a line with these words."""
    seen = []
    # Only a failure waits this long.
    with subprocess.Popen(["timeout", "150", *command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as program:
        for line in program.stdout:
            seen.append(line)
            if all(word in line for word in words):
                program.terminate()
                return
    raise AssertionError(f"{command}: no line has {words}:\n{''.join(seen)}\n{json.dumps(status())}")


def next_version(old):
    """The same package with a higher version."""
    root = Path(tempfile.mkdtemp(dir="/var/tmp"))
    run("dpkg-deb", "-R", old, root / "tree")
    control = root / "tree/DEBIAN/control"
    text = control.read_text(encoding="utf-8")
    version = next(line for line in text.splitlines() if line.startswith("Version: "))
    control.write_text(text.replace(version, version + "+next"), encoding="utf-8")
    made = root / "next.deb"
    run("dpkg-deb", "-Znone", "-b", root / "tree", made)
    shutil.rmtree(root / "tree")
    return made


class PackagesTest(unittest.TestCase):
    def setUp(self):
        run("ldconfig")
        self.before = files()
        self.groups = Path("/etc/group").read_text(encoding="utf-8")

    def test_installed_upgraded_removed_and_purged(self):
        self.installed()
        self.upgraded()
        self.removed()
        self.purged()

    def installed(self):
        install(package("evictd"), package("evictd-web"), package("evictd-kube"), package("libevictd-notify0"),
                package("libevictd-notify-dev"))
        for name in ("evictd", "evictd-web"):
            self.assertEqual((unit(name, "ActiveState"), unit(name, "UnitFileState")), ("active", "enabled"), name)
        for name in ("evictd-kube", "evictd-notify"):
            self.assertEqual((unit(name, "ActiveState"), unit(name, "UnitFileState")), ("inactive", "disabled"), name)
        now = status()
        self.assertEqual((now["event_source"], now["reading_files"]), ("bpf", False))
        self.assertEqual((now["realtime"], now["memory_locked"]), (True, True))
        self.assertEqual([name for name, row in now["hooks"].items() if row == "none"], [])
        socket = Path("/run/evictd/control.sock")
        self.assertEqual((socket.group(), oct(socket.stat().st_mode & 0o777)), ("evictd", "0o660"))
        run("evictctl", "doctor")
        run("systemctl", "start", "evictd-notify")
        run("python3", "-c", "import urllib.request as u; assert b'evictd_' in u.urlopen('http://127.0.0.1:9879/metrics').read()")
        run("python3", "-c", "import ctypes; ctypes.CDLL('libevictd-notify.so.0')")

    def upgraded(self):
        """The victim of an eviction under way is the same after it, and gets no second signal."""
        CONFIG.write_text(EVICTING, encoding="utf-8")
        run("systemd-run", "--unit=evictee", "bash", "-c", "trap '' TERM; exec sleep infinity")
        victim = int(unit("evictee", "MainPID"))
        run("systemctl", "restart", "evictd")
        await_line(['"outcome":"evicted"', "evictee"], "evictctl", "events", "--json", "--follow", "--since", "1h")
        first = status()
        begun = first["evictions"][-1]
        self.assertEqual((begun["state"], first["counters"]["evictions"]), ("terminating", 1))
        install(next_version(package("evictd")))
        now = status()
        self.assertNotEqual(now["pid"], first["pid"])
        self.assertEqual((now["event_source"], now["state"]["restored"], now["state"]["adopted"]), ("bpf", True, 1))
        self.assertEqual((now["counters"]["evictions"], now["counters"]["actuator"]["sigterms"]), (0, 0))
        self.assertEqual(int(unit("evictee", "MainPID")), victim)
        self.assertEqual(CONFIG.read_text(encoding="utf-8"), EVICTING)
        run("systemctl", "kill", "--signal=KILL", "evictee")
        await_line(['"released"'], "evictctl", "events", "--json", "--follow", "--since", "1h")
        self.assertEqual({one["id"]: one["state"] for one in status()["evictions"]}, {begun["id"]: "released"})
        run("systemctl", "reset-failed", "evictee", check=False)

    def removed(self):
        run("apt-get", "remove", "-y", "evictd", "evictd-web", "evictd-kube", "libevictd-notify0", "libevictd-notify-dev")
        for name in ("evictd", "evictd-web", "evictd-kube"):
            self.assertEqual((unit(name, "ActiveState"), run("pgrep", "-x", name, check=False)), ("inactive", ""), name)
        self.assertTrue(CONFIG.exists())

    def purged(self):
        run("dpkg", "--purge", "evictd", "evictd-web", "evictd-kube", "libevictd-notify0", "libevictd-notify-dev")
        self.assertEqual(sorted(files() - self.before), [])
        for keeper in ("/var/lib/dpkg/info", "/var/lib/systemd"):
            self.assertEqual([str(path) for path in Path(keeper).rglob("*evictd*")], [])
        self.assertEqual(Path("/etc/group").read_text(encoding="utf-8"), self.groups)
        listed = run("systemctl", "list-unit-files", "--no-legend", "evictd*", check=False)
        self.assertEqual([line.split()[0] for line in listed.splitlines() if "evictd-vm" not in line], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose", *sys.argv[2:]])
