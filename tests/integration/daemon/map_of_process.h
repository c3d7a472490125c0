// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bpf/bpf.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::daemon::test {

/// A BPF map that another process made, opened by its id as any administrator could: a test
/// falsifies with it what the kernel side of a running evictd holds.
class MapOfProcess {
 public:
  /// Errors: kNotFound when `process` has no map `name` open; as bpf(2).
  static Result<MapOfProcess> open(pid_t process, const std::string& name);

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Where the variable `name` begins in the value of a map of variables (".bss").
  [[nodiscard]] Result<std::size_t> offset_of(const char* name) const;
  [[nodiscard]] std::uint32_t entries() const { return entries_; }
  [[nodiscard]] std::size_t value_bytes() const { return value_bytes_; }

  /// The value of an array at `index`.
  template <typename T>
  [[nodiscard]] Result<T> at(std::uint32_t index) const {
    T value{};
    if (sizeof(T) != value_bytes_ || bpf_map_lookup_elem(fd_.get(), &index, &value) != 0) {
      return fail_errno(errno, "read a BPF map");
    }
    return value;
  }
  template <typename T>
  Result<> put(std::uint32_t index, const T& value) const {
    if (sizeof(T) != value_bytes_ ||
        bpf_map_update_elem(fd_.get(), &index, &value, BPF_EXIST) != 0) {
      return fail_errno(errno, "write a BPF map");
    }
    return {};
  }

 private:
  base::Fd fd_;
  std::uint32_t entries_ = 0;
  std::size_t value_bytes_ = 0;
  std::uint32_t types_ = 0;
};

}  // namespace evictd::daemon::test
