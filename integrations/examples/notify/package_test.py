# SPDX-License-Identifier: Apache-2.0
"""What is installed is enough for a program in C: with pkg-config and with CMake, shared and static.

usage: package_test.py BUILD
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
EXAMPLE = pathlib.Path(__file__).resolve().parent / "listen.c"
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(agent C)
find_package(evictd-notify 0.2 REQUIRED)
add_executable(shared agent.c)
target_link_libraries(shared PRIVATE evictd::notify)
add_executable(static agent.c)
target_link_libraries(static PRIVATE evictd::notify_static)
"""


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = self.folder / "prefix"
        for component in ("notify-runtime", "notify"):
            self.done(run("cmake", "--install", BUILD, "--prefix", self.prefix, "--component", component))
        self.library = next(self.prefix.rglob("libevictd-notify.so")).parent

    def done(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def speaks(self, program):
        """The program runs, and looks for evictd where there is none."""
        result = run(program, self.folder, 4096, self.folder / "none",
                     env={**os.environ, "LD_LIBRARY_PATH": str(self.library)})
        self.assertEqual((result.returncode, result.stderr),
                         (1, "listen: is evictd running?: No such file or directory\n"))

    def flags(self, *options):
        path = self.library / "pkgconfig"
        return shlex.split(self.done(run("pkg-config", *options, "--cflags", "--libs", "evictd-notify",
                                         env={**os.environ, "PKG_CONFIG_PATH": str(path)})))

    def test_the_shared_library_exports_what_the_header_declares(self):
        header = (self.prefix / "include/evictd/notify.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"EVICTD_NOTIFY_API (?:int|void) (\w+)\(", header))
        self.assertIn("evictd_notify_open", declared)
        library = self.library / "libevictd-notify.so"
        symbols = self.done(run("nm", "-D", "--defined-only", library)).split("\n")
        exported = {line.split()[2].split("@")[0] for line in symbols if line and line.split()[1] != "A"}
        self.assertEqual(exported, declared)
        self.assertIn("soname: [libevictd-notify.so.0]", self.done(run("readelf", "-d", library)))

    def test_pkg_config(self):
        self.done(run("cc", EXAMPLE, *self.flags(), "-o", self.folder / "shared"))
        self.speaks(self.folder / "shared")

    def test_pkg_config_static(self):
        flags = [f"{self.library}/libevictd-notify.a" if flag == "-levictd-notify" else flag
                 for flag in self.flags("--static")]
        self.done(run("cc", EXAMPLE, *flags, "-o", self.folder / "static"))
        self.speaks(self.folder / "static")

    def test_cmake(self):
        shutil.copy(EXAMPLE, self.folder / "agent.c")
        (self.folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        self.done(run("cmake", "-S", self.folder, "-B", self.folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"))
        self.done(run("cmake", "--build", self.folder / "build"))
        for program in ("shared", "static"):
            self.speaks(self.folder / "build" / program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
