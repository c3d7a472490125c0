#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/image makes of the Debian packages.

usage: image_test.py IMAGE   is made and left there
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
IMAGE = pathlib.Path(sys.argv[1])
PROGRAMS = {"usr/bin/evictctl", "usr/sbin/evictd", "usr/sbin/evictd-kube"}
MOST_BYTES = 64 << 20


def make(target):
    subprocess.run([ROOT / "scripts/image", "--output", target], check=True, stdout=subprocess.DEVNULL)


class Image:
    def __init__(self, path):
        with tarfile.open(path) as archive:
            self.blobs = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
        self.manifest = self.json("index.json")["manifests"][0]
        self.layers = self.blob(self.manifest["digest"])["layers"]

    def json(self, name):
        return json.loads(self.blobs[name])

    def blob(self, digest):
        return self.json("blobs/" + digest.replace(":", "/"))

    def members(self):
        packed = self.blobs["blobs/" + self.layers[0]["digest"].replace(":", "/")]
        with tempfile.TemporaryFile() as file:
            file.write(gzip.decompress(packed))
            file.seek(0)
            with tarfile.open(fileobj=file) as layer:
                return layer.getmembers()


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make(IMAGE)
        cls.image = Image(IMAGE)
        cls.members = {member.name: member for member in cls.image.members()}

    def test_two_runs_make_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder) / "again.tar"
            make(again)
            self.assertEqual(again.read_bytes(), IMAGE.read_bytes())

    def test_it_is_one_layer_with_the_name_that_the_manifests_have(self):
        self.assertEqual(len(self.image.layers), 1)
        manifests = (ROOT / "deploy/kubernetes/base/daemonset.yaml").read_text(encoding="utf-8")
        self.assertIn(f"image: {self.image.manifest['annotations']['io.containerd.image.name']}\n", manifests)

    def test_its_programs_are_those_of_the_manifests_and_no_shell_is_among_them(self):
        programs = {name for name in self.members if name.startswith(("usr/bin/", "usr/sbin/"))}
        self.assertEqual(programs, PROGRAMS)
        for name, link in (("bin", "usr/bin"), ("sbin", "usr/sbin"), ("lib", "usr/lib"), ("lib64", "usr/lib64")):
            self.assertEqual(self.members[name].linkname, link)

    def test_nothing_in_it_gives_privileges_or_may_be_written_by_others(self):
        for name, member in self.members.items():
            self.assertEqual((member.uid, member.gid, member.mode & 0o6000), (0, 0, 0), name)
            self.assertTrue(member.issym() or not member.mode & 0o022, name)

    def test_it_has_the_licences_of_what_is_in_it(self):
        for package in ("evictd", "evictd-kube", "libc6", "libgrpc++1.51"):
            self.assertIn(f"usr/share/doc/{package}/copyright", self.members)

    def test_it_is_small(self):
        self.assertLess(sum(member.size for member in self.members.values()), MOST_BYTES)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
