# SPDX-License-Identifier: Apache-2.0
"""The image that scripts/vm boots: Debian's kernel and the libraries of a node, cached by content."""
import fcntl
import hashlib
import os
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import List, Sequence

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"
# Debian's suite with this kernel. Everything else in an image comes from SUITE.
KERNELS = {"5.10": "bullseye", "6.1": SUITE, "6.12": "bookworm-backports"}
KERNEL = "6.1"
# Architectures of the machine. Packages of a foreign architecture are only unpacked.
ARCHITECTURES = ("amd64", "arm64")
# Libraries of this tree's programs, and programs that the tests and the guest's first process call.
PACKAGES = [
    "libbpf1", "libcap2", "libfmt9", "libspdlog1.10", "libstdc++6", "libsystemd0", "libyaml-cpp0.7", "libzstd1",
    "base-files", "base-passwd", "bash", "coreutils", "e2fsprogs", "findutils", "gawk", "grep", "hostname",
    "iproute2", "kmod", "libcap2-bin", "mount", "procps", "python3", "sed", "tar", "util-linux", "xfsprogs",
]
# Further packages of the systemd image: the dependencies of evictd's packages and their installer.
SYSTEMD_PACKAGES = [
    "apt", "dbus", "systemd-sysv",
    "libcpp-httplib0.11", "libcurl4", "libgrpc++1.51", "libprometheus-cpp-core1.0", "libprotobuf-lite32",
    "libspdlog1.10-fmt9", "libssl3",
]
IMAGE_SIZE_MIB = 1024
# The root disk has a partition table only for its signature, by which the kernel finds it: the kernel's disk numbers
# differ from boot to boot.
PARTITION_START = 1 << 20
DISK_SIGNATURE = 0xE71C7D00
ROOT_PARTITION = f"PARTUUID={DISK_SIGNATURE:08x}-01"
# Executes the host's commands if systemd is the first process.
UNIT = """[Unit]
Description=commands of the host
After=multi-user.target
[Service]
ExecStart=/evictd-vm-init
TasksMax=infinity
LimitNOFILE=65536
LimitMEMLOCK=infinity
"""
# Packages are unpacked but never configured, so that none of their scripts runs. The links that base-files would create
# on installation are therefore created here.
MERGE_USR = (
    'mkdir -p "$1/usr/bin" "$1/usr/sbin" "$1/usr/lib" "$1/usr/lib64"; '
    'for d in bin sbin lib lib64; do ln -s "usr/$d" "$1/$d"; done'
)


class VmError(Exception):
    """An error for the person who runs scripts/vm."""


@dataclass
class Image:
    architecture: str
    kernel: Path
    disk: Path
    first_process: str = "/evictd-vm-init"


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "evictd-vm"


def need(program: str, package: str) -> None:
    if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is None:
        raise VmError(f"{program} is missing: scripts/setup installs it (package {package})")


def run_quietly(command, what: str) -> None:
    """Runs a command; shows its output only if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise VmError(f"{what} failed:\n{done.stdout.strip()}")


def content_key(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:16]


def remove_waste(folder: Path) -> None:
    for waste in ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/i18n", "var/cache"):
        shutil.rmtree(folder / waste, ignore_errors=True)


def mmdebstrap(folder: Path, packages: List[str], kernel: str, architecture: str, what: str, *arguments: str) -> None:
    """Fills `folder` with the packages and the kernel from Debian's archive; uses the keys of this machine's apt."""
    need("mmdebstrap", "mmdebstrap")
    suites = sorted({SUITE, KERNELS[kernel]})
    chosen = packages + [f"linux-image-cloud-{architecture}/{KERNELS[kernel]}"]
    run_quietly(
        ["mmdebstrap", "--quiet", f"--architectures={architecture}", *arguments, f"--include={','.join(chosen)}", SUITE,
         str(folder),
         *(f"deb {MIRROR} {suite} main" for suite in suites)],
        f"{what} {len(chosen)} packages of {' and '.join(suites)} from {MIRROR}",
    )


def install_packages(folder: Path, packages: List[str], kernel: str, architecture: str) -> None:
    """Configures the packages as on a machine, with systemd as the first process."""
    mmdebstrap(folder, packages, kernel, architecture, "installing", "--mode=root", "--variant=apt")
    remove_waste(folder)
    units = folder / "etc/systemd/system"
    (units / "evictd-vm.service").write_text(UNIT, encoding="ascii")
    wants = units / "default.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "evictd-vm.service").symlink_to("../evictd-vm.service")
    # Avoids the questions of a first boot.
    (folder / "etc/machine-id").write_text("5f" * 16 + "\n", encoding="ascii")


def depmod_of(folder: Path, architecture: str) -> List[str]:
    """The command line of the image's own depmod, without arguments."""
    if architecture == ARCHITECTURES[0]:
        return ["chroot", str(folder), "/sbin/depmod"]
    need("qemu-aarch64", "qemu-user")
    # Uses the target of its absolute link.
    return ["qemu-aarch64", "-L", str(folder), "-0", "depmod", str(folder / "bin/kmod"), "-b", str(folder)]


def unpack_packages(folder: Path, packages: List[str], kernel: str, architecture: str) -> None:
    if os.geteuid() != 0:
        raise VmError("must be root, to unpack the packages with their owners")
    mmdebstrap(folder, packages, kernel, architecture, "unpacking", "--variant=extract", f"--setup-hook={MERGE_USR}")
    remove_waste(folder)
    # Files that the packages' scripts would have created.
    for name, text in (("passwd", "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n"),
                       ("group", "root:x:0:\nnogroup:x:65534:\n")):
        (folder / "etc" / name).write_text(text, encoding="ascii")
    for name, program in (("awk", "gawk"), ("sh", "bash")):
        (folder / "usr/bin" / name).symlink_to(program)
    version = kernel_of(folder).name.split("-", 1)[1]
    run_quietly([*depmod_of(folder, architecture), version], "listing the kernel's modules")


def kernel_of(root: Path) -> Path:
    kernels = sorted((root / "boot").glob("vmlinuz-*"))
    if len(kernels) != 1:
        raise VmError(f"expected one kernel in the packages, found {len(kernels)}")
    return kernels[0]


def partition_table() -> bytes:
    """The first sector of a disk with one partition, in DOS format."""
    sectors = struct.pack("<II", PARTITION_START // 512, (IMAGE_SIZE_MIB << 20) // 512)
    # Not active, no CHS address, type Linux.
    entry = bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + sectors
    return bytes(440) + struct.pack("<IH", DISK_SIGNATURE, 0) + entry + bytes(48) + b"\x55\xaa"


def make_disk(root: Path, init: Path, folder: Path) -> None:
    """Creates the root disk in `folder` from unpacked packages and the guest's first process."""
    need("mkfs.ext4", "e2fsprogs")
    shutil.copy2(init, root / "evictd-vm-init")
    disk = folder / "root.disk"
    disk.write_bytes(b"")
    os.truncate(disk, PARTITION_START + (IMAGE_SIZE_MIB << 20))
    run_quietly(
        ["/usr/sbin/mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-m", "0", "-d", str(root),
         "-E", f"offset={PARTITION_START}", str(disk), f"{IMAGE_SIZE_MIB}M"],
        "making the root disk",
    )
    with open(disk, "r+b") as file:
        file.write(partition_table())
    shutil.copy2(kernel_of(root), folder / "vmlinuz")


def made_whole(target: Path, make) -> Path:
    """Builds `target` in a folder beside it and renames it when complete."""
    if target.exists():
        return target
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=target.parent))
    try:
        make(unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return target


def build_image(init: Path, more_packages: Sequence[str] = (), systemd: bool = False, kernel: str = KERNEL,
                architecture: str = ARCHITECTURES[0]) -> Image:
    """The image with these packages besides PACKAGES; built if it is not cached. `systemd`: the packages are installed,
    and systemd is the first process. `kernel`: one of KERNELS. `architecture`: one of ARCHITECTURES."""
    if systemd and architecture != ARCHITECTURES[0]:
        raise VmError(f"there is no image with systemd for {architecture}: its packages' scripts do not run here")
    more = set(more_packages) | set(SYSTEMD_PACKAGES if systemd else ())
    chosen = PACKAGES + sorted(more - set(PACKAGES))
    wanted = chosen[len(PACKAGES):] + ["systemd"] * systemd + [kernel, architecture]
    script = Path(__file__).read_bytes() + " ".join(wanted).encode()
    unpack = install_packages if systemd else unpack_packages
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        packages = cache / f"packages-{content_key(script)}"
        folder = cache / f"image-{content_key(script, init.read_bytes())}"
        if not folder.exists():
            made_whole(packages, lambda unfinished: unpack(unfinished, chosen, kernel, architecture))
            made_whole(folder, lambda unfinished: make_disk(packages, init, unfinished))
    image = Image(architecture, kernel=folder / "vmlinuz", disk=folder / "root.disk")
    if systemd:
        image.first_process = "/lib/systemd/systemd"
    return image
