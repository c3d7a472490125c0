#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI image with one program, as the archive that `ctr images import` reads.

usage: make_image.py PROGRAM ARCHIVE NAME [SALT]   SALT is a text in a file of the image that makes it unique
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts/lib"))
from oci_image import Entry, write_image  # noqa: E402


def main(program, target, name, salt=""):
    entries = [Entry("program", 0o755, Path(program).read_bytes()), Entry("salt", content=salt.encode())]
    write_image(Path(target), name, entries, {"Entrypoint": ["/program"]})


if __name__ == "__main__":
    main(*sys.argv[1:])
