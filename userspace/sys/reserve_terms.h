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

/// Watermarks of all zones together.
struct Watermarks {
  /// With what low zones keep from processes (lowmem_reserve).
  Bytes min{0};
  Bytes low{0};

  bool operator==(const Watermarks&) const = default;
};

/// One line of /proc/swaps.
struct SwapArea {
  /// "zram0" for /dev/zram0; empty for anything else.
  std::string_view zram;
  Bytes size{0};
  Bytes used{0};
};

/// What a zram device stores and what that takes of memory. Source: mm_stat (zram.rst).
struct ZramUse {
  Bytes stored{0};
  Bytes taken{0};
};

/// Source: /proc/zoneinfo, in pages of `page_bytes`. Unset: it has no zone with both.
[[nodiscard]] std::optional<Watermarks> parse_watermarks(std::string_view zoneinfo,
                                                         std::int64_t page_bytes);
/// Views into `text`.
[[nodiscard]] std::vector<SwapArea> parse_swaps(std::string_view text);
[[nodiscard]] std::optional<ZramUse> parse_zram(std::string_view mm_stat);

/// What compressed swap frees of each page that goes there, in thousandths of one: what is measured
/// once enough is stored, half before. Never less than nothing.
[[nodiscard]] std::int64_t worth_of(const ZramUse& use);

struct ReserveTerms {
  Watermarks watermarks;
  /// What a free page of swap is worth, in thousandths of one: all of it on a disk. 0 without swap.
  std::int64_t swap_permille = 0;

  bool operator==(const ReserveTerms&) const = default;
};

/// Reads what it takes. Errors: kNotFound, kMalformed naming the file.
/// Cost: opens three files and one a zram device, some 100 us.
[[nodiscard]] Result<ReserveTerms> read_reserve_terms(const Root& root);

}  // namespace evictd::sys
