// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/swap.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace evictd::test {

/// Guards changes of the machine itself: true only on a disposable machine (docs/vm.md).
inline bool machine_is_ours() {
  return std::getenv("EVICTD_VM") != nullptr;
}

/// Swap on a file or on a zram device, until the end of the test.
class TestSwap {
 public:
  explicit TestSwap(std::string path) : path_(std::move(path)) {
    const long page = ::sysconf(_SC_PAGESIZE);
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // The header of mkswap: version, last page, and the mark at the end of the first page.
    std::vector<std::uint32_t> header(static_cast<std::size_t>(page) / sizeof(std::uint32_t));
    header[256] = 1;
    header[257] = static_cast<std::uint32_t>(kSize / page - 1);
    std::memcpy(reinterpret_cast<char*>(header.data()) + page - 10, "SWAPSPACE2", 10);
    // A device has a fixed size and rejects this; a file must have no holes.
    static_cast<void>(::posix_fallocate(file, 0, kSize));
    on_ = ::pwrite(file, header.data(), static_cast<std::size_t>(page), 0) == page &&
          ::fsync(file) == 0 && ::swapon(path_.c_str(), 0) == 0;
    ::close(file);
  }
  TestSwap(const TestSwap&) = delete;
  TestSwap& operator=(const TestSwap&) = delete;
  ~TestSwap() {
    if (on_) {
      ::swapoff(path_.c_str());
    }
  }
  [[nodiscard]] bool on() const { return on_; }

  static constexpr std::int64_t kSize = std::int64_t{256} << 20;

 private:
  std::string path_;
  bool on_ = false;
};

}  // namespace evictd::test
