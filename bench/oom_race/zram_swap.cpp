// SPDX-License-Identifier: Apache-2.0
#include "oom_race/zram_swap.h"

#include <sys/swap.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "stage/child.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

constexpr const char* kDevice = "/dev/zram0";
constexpr const char* kSize = "/sys/block/zram0/disksize";
constexpr const char* kReset = "/sys/block/zram0/reset";
constexpr std::chrono::seconds kMkswapDeadline{30};

Result<> make_swap() {
  Result<stage::Child> child =
      stage::Child::start({.argv = {"/usr/sbin/mkswap", kDevice}, .output = "/dev/null"});
  if (!child) {
    return tl::unexpected(child.error());
  }
  const Result<stage::ChildExit> end = child->wait(kMkswapDeadline);
  if (!end || end->status != 0) {
    return fail(Errc::kIo, std::string{"mkswap "} + kDevice + " failed");
  }
  return {};
}

}  // namespace

Result<ZramSwap> ZramSwap::start(Bytes size) {
  if (Result<> sized = stage::write_kernel_file(kSize, std::to_string(size.value)); !sized) {
    return tl::unexpected(sized.error());
  }
  ZramSwap swap;
  if (Result<> made = make_swap(); !made) {
    return tl::unexpected(made.error());
  }
  if (::swapon(kDevice, 0) != 0) {
    return fail_errno(errno, std::string{"swap on "} + kDevice);
  }
  return swap;
}

ZramSwap::ZramSwap(ZramSwap&& other) noexcept : owned_(std::exchange(other.owned_, false)) {}

ZramSwap::~ZramSwap() {
  if (owned_) {
    static_cast<void>(::swapoff(kDevice));
    static_cast<void>(stage::write_kernel_file(kReset, "1"));
  }
}

}  // namespace evictd::bench
