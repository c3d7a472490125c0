// SPDX-License-Identifier: Apache-2.0
#include "sys/reserve_terms.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "evictd/try.h"
#include "sys/kernel_text.h"

namespace evictd::sys {
namespace {

constexpr std::int64_t kWhole = 1000;
/// lzo and lz4 compress ordinary memory to less than half; before much is stored the ratio is
/// unknown.
constexpr std::int64_t kAssumed = kWhole / 2;
constexpr Bytes kEnoughStored = 16_MiB;
/// With finer steps the rate would restart at each reading.
constexpr std::int64_t kStep = 50;

/// The words of a line, as many as fit.
template <std::size_t N>
std::array<std::string_view, N> words_of(std::string_view line) {
  std::array<std::string_view, N> words;
  for (std::string_view& word : words) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
      break;
    }
    line.remove_prefix(begin);
    word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
  }
  return words;
}

/// One zone of /proc/zoneinfo, in pages.
struct Zone {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> low;
  std::int64_t managed = 0;
  /// The highest reserve against allocations that could also use a higher zone (lowmem_reserve).
  std::int64_t protection = 0;
};

/// The largest number of "(0, 2976, 32061)".
std::int64_t largest_of(std::string_view list) {
  std::int64_t largest = 0;
  constexpr std::string_view kDigits = "0123456789";
  while (true) {
    const std::size_t begin = list.find_first_of(kDigits);
    if (begin == std::string_view::npos) {
      return largest;
    }
    list.remove_prefix(begin);
    const std::size_t end = std::min(list.find_first_not_of(kDigits), list.size());
    largest = std::max(largest, whole_number(list.substr(0, end)).value_or(0));
    list.remove_prefix(end);
  }
}

void read_zone_line(std::string_view line, Zone& zone) {
  const auto [key, value] = words_of<2>(line);
  if (key == "min") {
    zone.min = whole_number(value);
  } else if (key == "low") {
    zone.low = whole_number(value);
  } else if (key == "managed") {
    zone.managed = whole_number(value).value_or(0);
  } else if (key == "protection:") {
    zone.protection = largest_of(line);
  }
}

/// Pages of a zone that lowmem_reserve keeps from processes, which allocate from higher zones.
std::int64_t kept_from_others(const Zone& zone) {
  return std::max<std::int64_t>(0, std::min(zone.protection, zone.managed - *zone.min));
}

std::int64_t in_steps(std::int64_t permille) {
  return std::clamp<std::int64_t>(permille, 0, kWhole) / kStep * kStep;
}

/// Pages in zswap stay in memory, compressed, whatever the swap device is.
std::optional<std::int64_t> worth_in_zswap(std::string_view meminfo) {
  const std::optional<Bytes> taken = find_meminfo(meminfo, "Zswap");
  const std::optional<Bytes> stored = find_meminfo(meminfo, "Zswapped");
  if (!taken || !stored || stored->value == 0) {
    return std::nullopt;
  }
  return swap_worth_permille({.stored = *stored, .taken = *taken});
}

/// Average over all free slots, each weighted by its device.
std::int64_t worth_of_swap(const Root& root, std::string_view swaps, std::string_view meminfo) {
  const std::optional<std::int64_t> zswap = worth_in_zswap(meminfo);
  std::int64_t free_kib = 0;
  std::int64_t worth = 0;
  for (const SwapArea& area : parse_swaps(swaps)) {
    // At least one slot: the value of a slot does not depend on whether one is free now, and a
    // victim's slots are freed sooner than this is read again.
    const std::int64_t kib = std::max<std::int64_t>(1, (area.size - area.used).value >> 10);
    std::int64_t permille = zswap.value_or(kWhole);
    if (!area.zram.empty()) {
      const Result<std::string> stat =
          root.read("/sys/block/" + std::string(area.zram) + "/mm_stat");
      const std::optional<ZramUse> use = stat ? parse_zram(*stat) : std::nullopt;
      permille = swap_worth_permille(use.value_or(ZramUse{}));
    }
    free_kib += kib;
    worth += kib * permille;
  }
  return free_kib == 0 ? 0 : in_steps(worth / free_kib);
}

}  // namespace

std::optional<Watermarks> parse_watermarks(std::string_view zoneinfo, std::int64_t page_bytes) {
  Watermarks sum;
  std::optional<Zone> zone;
  bool any = false;
  const auto add = [&] {
    if (zone && zone->min && zone->low) {
      sum.min = sum.min + Bytes{(*zone->min + kept_from_others(*zone)) * page_bytes};
      sum.low = sum.low + Bytes{*zone->low * page_bytes};
      any = true;
    }
  };
  while (!zoneinfo.empty()) {
    const std::string_view line = next_line(zoneinfo);
    if (line.starts_with("Node ")) {
      add();
      zone.emplace();
    } else if (zone) {
      read_zone_line(line, *zone);
    }
  }
  add();
  return any ? std::optional(sum) : std::nullopt;
}

std::vector<SwapArea> parse_swaps(std::string_view text) {
  constexpr std::string_view kZram = "/dev/zram";
  constexpr std::string_view kDev = "/dev/";
  std::vector<SwapArea> areas;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const auto [path, kind, size, used] = words_of<4>(line);
    const std::optional<std::int64_t> size_kib = whole_number(size);
    const std::optional<std::int64_t> used_kib = whole_number(used);
    if (size_kib && used_kib) {
      areas.push_back(
          {.zram = path.starts_with(kZram) ? path.substr(kDev.size()) : std::string_view{},
           .size = Bytes{*size_kib << 10},
           .used = Bytes{*used_kib << 10}});
    }
  }
  return areas;
}

std::optional<ZramUse> parse_zram(std::string_view mm_stat) {
  const auto [stored, compressed, taken] = words_of<3>(mm_stat);
  const std::optional<std::int64_t> stored_bytes = whole_number(stored);
  const std::optional<std::int64_t> taken_bytes = whole_number(taken);
  if (!stored_bytes || !taken_bytes) {
    return std::nullopt;
  }
  return ZramUse{.stored = Bytes{*stored_bytes}, .taken = Bytes{*taken_bytes}};
}

std::int64_t swap_worth_permille(const ZramUse& use) {
  if (use.stored.value < kEnoughStored.value) {
    return kAssumed;
  }
  const auto taken = static_cast<double>(use.taken.value) / static_cast<double>(use.stored.value);
  return std::clamp<std::int64_t>(kWhole - static_cast<std::int64_t>(taken * kWhole), 0, kWhole);
}

Result<ReserveTerms> read_reserve_terms(const Root& root) {
  EVICTD_ASSIGN_OR_RETURN(const std::string zones, root.read("/proc/zoneinfo"));
  EVICTD_ASSIGN_OR_RETURN(const std::string meminfo, root.read("/proc/meminfo"));
  const std::optional<Watermarks> watermarks = parse_watermarks(zones, ::sysconf(_SC_PAGESIZE));
  if (!watermarks) {
    return fail(Errc::kMalformed, "/proc/zoneinfo: no watermarks");
  }
  // A kernel without swap has no such file.
  const Result<std::string> swaps = root.read("/proc/swaps");
  return ReserveTerms{.watermarks = *watermarks,
                      .swap_permille = swaps ? worth_of_swap(root, *swaps, meminfo) : 0};
}

}  // namespace evictd::sys
