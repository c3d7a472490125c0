# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI image of one layer as the archive that container runtimes import. Equal input gives equal bytes."""
import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Dict, Iterable, NamedTuple


class Entry(NamedTuple):
    """A file, link or directory of the layer; all belong to root and have the same time."""

    name: str
    mode: int = 0o644
    content: bytes = b""
    link: str = ""
    is_directory: bool = False


def tar_info(entry: Entry) -> tarfile.TarInfo:
    info = tarfile.TarInfo(entry.name)
    info.mode = entry.mode
    if entry.is_directory:
        info.type = tarfile.DIRTYPE
    elif entry.link:
        info.type = tarfile.SYMTYPE
        info.linkname = entry.link
    else:
        info.size = len(entry.content)
    return info


def tar_of(entries: Iterable[Entry]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry in entries:
            archive.addfile(tar_info(entry), io.BytesIO(entry.content))
    return raw.getvalue()


def write_image(target: Path, name: str, entries: Iterable[Entry], config: Dict, architecture: str = "amd64") -> str:
    """Returns the digest of the image's manifest."""
    layer = tar_of(entries)
    blobs: Dict[str, bytes] = {}

    def add(content: bytes, media_type: str) -> Dict:
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": f"sha256:{digest}", "size": len(content)}

    def add_json(content: Dict, media_type: str) -> Dict:
        return add(json.dumps(content, sort_keys=True).encode(), media_type)

    packed = add(gzip.compress(layer, mtime=0), "layer.v1.tar+gzip")
    settings = add_json({"architecture": architecture, "os": "linux", "config": config,
                         "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}},
                        "config.v1+json")
    manifest = add_json({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                         "config": settings, "layers": [packed]}, "manifest.v1+json")
    manifest["annotations"] = {"io.containerd.image.name": name,
                               "org.opencontainers.image.ref.name": name.rpartition(":")[2]}
    index = json.dumps({"schemaVersion": 2, "manifests": [manifest]}, sort_keys=True).encode()
    files = [Entry("oci-layout", content=b'{"imageLayoutVersion": "1.0.0"}'), Entry("index.json", content=index)]
    files += [Entry(f"blobs/sha256/{digest}", content=blobs[digest]) for digest in sorted(blobs)]
    target.write_bytes(tar_of(files))
    return manifest["digest"]
