# SPDX-License-Identifier: Apache-2.0
"""What can be judged of the Debian packages without building them.

usage: packages_test.py BUILD
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

BUILD = sys.argv[1]
ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "deploy/debian"
SCRIPTS = sorted(path for path in DEBIAN.glob("*/*") if path.name in ("postinst", "prerm", "postrm", "preinst"))


def run(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class PackagesTest(unittest.TestCase):
    def test_each_component_installs_what_its_package_is_to_have(self):
        done = run(sys.executable, "-B", ROOT / "scripts/lib/package_contents.py", "--build", BUILD)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_the_maintainer_scripts_are_clean(self):
        self.assertGreater(len(SCRIPTS), 8)
        for script in SCRIPTS:
            self.assertTrue(script.stat().st_mode & 0o100, script)
            for judge in (("sh", "-n"), ("shellcheck", "-s", "dash")):
                done = run(*judge, script)
                self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_each_unit_is_stopped_and_forgotten_by_the_package_that_has_it(self):
        units = {}
        for line in (DEBIAN / "contents").read_text(encoding="utf-8").splitlines():
            match = re.match(r"(\S+) \S+ .*/system/([\w-]+\.service)$", line)
            if match:
                units.setdefault(match[1], []).append(match[2])
        self.assertEqual(set(units), {"evictd", "evictd-web", "evictd-kube"})
        for package, names in units.items():
            for name in names:
                for script, words in (("prerm", "deb-systemd-invoke stop"), ("postrm", "deb-systemd-helper purge")):
                    text = (DEBIAN / package / script).read_text(encoding="utf-8")
                    line = next(line for line in text.splitlines() if words in line)
                    self.assertIn(name, line.split(), f"{package}/{script}")

    def test_a_configuration_in_etc_is_a_conffile(self):
        for package in ("evictd", "evictd-kube"):
            contents = (DEBIAN / "contents").read_text(encoding="utf-8")
            named = re.findall(rf"^{package} \S+ (/etc/\S+)$", contents, re.MULTILINE)
            self.assertEqual((DEBIAN / package / "conffiles").read_text(encoding="utf-8").split(), named)

    def test_the_changelog_begins_with_this_version(self):
        version = re.search(r"project\(evictd VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        first = (DEBIAN / "changelog").read_text(encoding="utf-8").splitlines()[0]
        self.assertTrue(first.startswith(f"evictd ({version}-1) "), first)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
