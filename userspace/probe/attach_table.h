// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "probe/ladder.h"

namespace evictd::probe {

/// One way to serve a purpose. `programs`: names in the skeleton, padded with empty strings; all or
/// none of them are loaded and attached. Those that user space runs have no hook to attach to.
struct AttachRow {
  Purpose purpose;
  std::string_view name;
  std::string_view hook;
  std::array<std::string_view, 4> programs;
  /// What evictd cannot do, or does later, with this row; empty for the best one.
  std::string_view lost;
  /// The same if no timer runs; empty: as `lost`.
  std::string_view lost_without_timer{};
  /// The same if the hook of every page runs, with or without a timer; empty: as without that hook.
  std::string_view lost_with_pages{};
};

/// Whether a row of Purpose::kSweepTimer is in use. Otherwise polling covers its work.
enum class SweepTimer : std::uint8_t { kRuns, kNone };
/// Whether a row of Purpose::kPerPageCharge is in use: it sees memory grow too.
enum class PageHook : std::uint8_t { kRuns, kNone };

/// What else checks thresholds, besides the purpose with the loss.
struct OtherLooks {
  SweepTimer timer = SweepTimer::kNone;
  PageHook pages = PageHook::kNone;
};

/// The whole ladder: every row of every purpose, best first within a purpose.
[[nodiscard]] std::span<const AttachRow> attach_table();

/// What is lost if `row` is in use.
[[nodiscard]] std::string_view lost_with(const AttachRow& row, OtherLooks others);

/// What is lost if no row of `purpose` works.
[[nodiscard]] std::string_view lost_without(Purpose purpose, OtherLooks others);

/// Rows of Purpose::kBackstop that signal every listed process; the others only the running one.
inline constexpr std::string_view kFentryListed = "fentry_listed";
inline constexpr std::string_view kTpBtfListed = "tp_btf_listed";

/// A program that several purposes need.
struct CoreProgram {
  std::string_view name;
  /// Purposes that cannot be served if the kernel refuses it.
  std::span<const Purpose> needed_by;
};

/// The programs that are loaded with every choice of rows.
[[nodiscard]] std::span<const CoreProgram> core_programs();

}  // namespace evictd::probe
