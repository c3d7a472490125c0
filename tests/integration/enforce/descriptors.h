// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace evictd::enforce::test {

/// Descriptors that this process has open.
[[nodiscard]] std::size_t open_descriptors();

/// While it lives, this process can open only so many descriptors more.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(std::size_t more);
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit();

  /// How many more can be opened now.
  [[nodiscard]] std::size_t free() const;

 private:
  rlimit before_{};
};

}  // namespace evictd::enforce::test
