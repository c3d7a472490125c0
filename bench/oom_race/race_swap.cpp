// SPDX-License-Identifier: Apache-2.0
#include "oom_race/race_swap.h"

#include <fcntl.h>
#include <sys/swap.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "base/fd.h"
#include "evictd/try.h"
#include "stage/child.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

constexpr const char* kDevice = "/dev/zram0";
constexpr const char* kSize = "/sys/block/zram0/disksize";
constexpr const char* kReset = "/sys/block/zram0/reset";
/// On the disk: /tmp may be memory.
constexpr const char* kFile = "/var/tmp/evictd-race-swap";
constexpr std::chrono::seconds kMkswapDeadline{30};

const char* path_of(SwapKind kind) {
  return kind == SwapKind::kZram ? kDevice : kFile;
}

Result<> make_room(SwapKind kind, Bytes size) {
  if (kind == SwapKind::kZram) {
    return stage::write_kernel_file(kSize, std::to_string(size.value));
  }
  const base::Fd file(::open(kFile, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) {
    return fail_errno(errno, kFile);
  }
  // Without holes, because swap rejects them.
  const int error = ::posix_fallocate(file.get(), 0, size.value);
  return error == 0 ? Result<>() : Result<>(fail_errno(error, kFile));
}

Result<> make_swap(const char* path) {
  EVICTD_ASSIGN_OR_RETURN(
      stage::Child child,
      stage::Child::start({.argv = {"/usr/sbin/mkswap", path}, .output = "/dev/null"}));
  const Result<stage::ChildExit> end = child.wait(kMkswapDeadline);
  if (!end || end->status != 0) {
    return fail(Errc::kIo, std::string{"mkswap "} + path + " failed");
  }
  return {};
}

}  // namespace

Result<RaceSwap> RaceSwap::start(SwapKind kind, Bytes size) {
  EVICTD_TRY(make_room(kind, size));
  RaceSwap swap(kind);
  EVICTD_TRY(make_swap(path_of(kind)));
  if (::swapon(path_of(kind), 0) != 0) {
    return fail_errno(errno, std::string{"swap on "} + path_of(kind));
  }
  return swap;
}

RaceSwap::RaceSwap(RaceSwap&& other) noexcept
    : kind_(std::exchange(other.kind_, SwapKind::kNone)) {}

RaceSwap::~RaceSwap() {
  if (kind_ == SwapKind::kNone) {
    return;
  }
  static_cast<void>(::swapoff(path_of(kind_)));
  if (kind_ == SwapKind::kZram) {
    static_cast<void>(stage::write_kernel_file(kReset, "1"));
  } else {
    ::unlink(kFile);
  }
}

}  // namespace evictd::bench
