#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI image with one program, as the archive that `ctr images import` reads.

usage: make_image.py PROGRAM ARCHIVE NAME [SALT]   SALT, a text in a file of the image, makes it another one
"""
import gzip
import hashlib
import io
import json
import sys
import tarfile


def file_of(name, content, mode=0o644):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    entry.mode = mode
    return entry, io.BytesIO(content)


def layer_of(program, salt):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        with open(program, "rb") as file:
            archive.addfile(*file_of("program", file.read(), 0o755))
        archive.addfile(*file_of("salt", salt.encode()))
    return raw.getvalue()


def main(program, target, name, salt=""):
    layer = layer_of(program, salt)
    blobs = {}

    def add(content, media_type):
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": f"sha256:{digest}",
                "size": len(content)}

    packed = add(gzip.compress(layer, mtime=0), "layer.v1.tar+gzip")
    config = add(json.dumps({
        "architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/program"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode(),
        "config.v1+json")
    manifest = add(json.dumps({"schemaVersion": 2, "config": config, "layers": [packed]}).encode(),
                   "manifest.v1+json")
    manifest["annotations"] = {"io.containerd.image.name": name}
    with tarfile.open(target, "w") as archive:
        archive.addfile(*file_of("oci-layout", b'{"imageLayoutVersion": "1.0.0"}'))
        archive.addfile(*file_of("index.json", json.dumps({"schemaVersion": 2, "manifests": [manifest]}).encode()))
        for digest, content in blobs.items():
            archive.addfile(*file_of(f"blobs/sha256/{digest}", content))


if __name__ == "__main__":
    main(*sys.argv[1:])
