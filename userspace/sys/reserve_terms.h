// SPDX-License-Identifier: Apache-2.0
// By what it is worked out how much the kernel can still give before its OOM killer chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "sys/root.h"

namespace evictd::sys {

/// Watermarks summed over all zones.
struct Watermarks {
  /// Includes what low zones reserve from processes (lowmem_reserve).
  Bytes min{0};
  Bytes low{0};

  bool operator==(const Watermarks&) const = default;
};

/// One line of /proc/swaps.
struct SwapArea {
  /// "zram0" for /dev/zram0; empty for other devices.
  std::string_view zram;
  Bytes size{0};
  Bytes used{0};
};

/// Bytes that a zram device stores, and the memory that they take. Source: mm_stat (zram.rst).
struct ZramUse {
  Bytes stored{0};
  Bytes taken{0};
};

/// Source: /proc/zoneinfo, in pages of `page_bytes`. nullopt if no zone has both watermarks.
[[nodiscard]] std::optional<Watermarks> parse_watermarks(std::string_view zoneinfo,
                                                         std::int64_t page_bytes);
/// The result points into `text`.
[[nodiscard]] std::vector<SwapArea> parse_swaps(std::string_view text);
[[nodiscard]] std::optional<ZramUse> parse_zram(std::string_view mm_stat);

/// Memory that compressed swap frees per page swapped out, in thousandths of a page. Measured once
/// enough is stored, half a page before. Never negative.
[[nodiscard]] std::int64_t swap_worth_permille(const ZramUse& use);

struct ReserveTerms {
  Watermarks watermarks;
  /// Memory that a free page of swap is worth, in thousandths of a page: 1000 on disk, 0 without
  /// swap.
  std::int64_t swap_permille = 0;

  bool operator==(const ReserveTerms&) const = default;
};

/// Reads the terms. Errors: kNotFound, kMalformed with the file's name.
/// Cost: opens three files and one per zram device, about 100 us.
[[nodiscard]] Result<ReserveTerms> read_reserve_terms(const Root& root);

}  // namespace evictd::sys
