# SPDX-License-Identifier: Apache-2.0
"""Debian's kubectl, unpacked but not installed, because other packages named kubectl contain the same file."""
import fcntl
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts/lib"))
from vm_image import MIRROR, SUITE, content_key, made_whole, need, run_quietly  # noqa: E402

PACKAGE = "kubernetes-client"


def unpack(folder):
    need("mmdebstrap", "mmdebstrap")
    run_quietly(["mmdebstrap", "--quiet", "--variant=extract", f"--include={PACKAGE}", SUITE, str(folder), MIRROR],
                f"unpacking {PACKAGE} of {SUITE} from {MIRROR}")


def debian_kubectl():
    """Its path; cached beside the images of the virtual machine."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    cache = pathlib.Path(base) / "evictd-kubectl"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = made_whole(cache / content_key(PACKAGE.encode(), SUITE.encode(), MIRROR.encode()), unpack)
    return folder / "usr/bin/kubectl"


def rendered(kubectl, folder):
    """The output of `kubectl kustomize` for a folder."""
    # Without the user's configuration, and without a proxy.
    done = subprocess.run([str(kubectl), "kustomize", str(folder)], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout
