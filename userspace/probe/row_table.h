// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/kernel_clock.h"
#include "evictd/abi/table.h"
#include "evictd/result.h"
#include "evictd/usage.h"

namespace evictd::probe {

/// The kernel's array `rows`, mapped read-only.
class RowTable {
 public:
  RowTable() = default;
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;
  RowTable(RowTable&& other) noexcept;
  RowTable& operator=(RowTable&& other) noexcept;
  ~RowTable();

  /// Maps the first `slots` values of the mmapable array `map_fd`; `clock` converts their times.
  [[nodiscard]] static Result<RowTable> map(int map_fd, std::uint32_t slots,
                                            base::KernelClock clock);

  /// The row of `slot` if it has this generation; otherwise all values are -1. Each value is loaded
  /// atomically; two values may come from neighbouring refreshes.
  [[nodiscard]] CgroupUsage read(std::uint32_t slot, std::uint32_t generation) const;

 private:
  RowTable(void* mapping, std::size_t bytes, std::uint32_t slots, base::KernelClock clock)
      : mapping_(mapping),
        rows_(static_cast<const evictd_row*>(mapping)),
        bytes_(bytes),
        slots_(slots),
        clock_(clock) {}

  void* mapping_ = nullptr;
  const evictd_row* rows_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t slots_ = 0;
  base::KernelClock clock_;
};

}  // namespace evictd::probe
