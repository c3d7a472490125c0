// SPDX-License-Identifier: Apache-2.0
#include "disk/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace evictd::disk {

namespace {

struct CloseStream {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

base::Fd open_resolved(int directory, const char* path, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return base::Fd(static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how)));
}

}  // namespace

base::Fd open_beneath(int directory, const std::string& path, Mounts mounts) {
  constexpr std::uint64_t kBeneath = RESOLVE_BENEATH;
  constexpr std::uint64_t kOneMount = RESOLVE_BENEATH | RESOLVE_NO_XDEV;
  return open_resolved(directory, path.c_str(), mounts == Mounts::kEntered ? kBeneath : kOneMount);
}

base::Fd open_parent(int directory) {
  return open_resolved(directory, "..", RESOLVE_NO_XDEV);
}

std::optional<DirectoryIdentity> identity_of(int directory) {
  struct statx answer {};
  if (::statx(directory, "", AT_EMPTY_PATH, STATX_INO, &answer) != 0) {
    return std::nullopt;
  }
  return DirectoryIdentity{
      .device = (std::uint64_t{answer.stx_dev_major} << 32U) | answer.stx_dev_minor,
      .inode = answer.stx_ino};
}

Names names_in(int directory) {
  Names names;
  base::Fd own = open_beneath(directory, ".", Mounts::kLeftOut);
  const std::unique_ptr<DIR, CloseStream> stream(own ? ::fdopendir(own.get()) : nullptr);
  if (!stream) {
    names.failure = errno;
    return names;
  }
  static_cast<void>(own.release());
  for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.all.emplace_back(name);
    }
  }
  names.failure = errno;
  return names;
}

}  // namespace evictd::disk
