// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/bytes.h"
#include "harness/selection.h"
#include "stage/load_process.h"

namespace evictd::bench {

/// Who races the kernel's OOM killer.
enum class Racer {
  kEvictd,              ///< With BPF, grace 0, memory.available as the kernel has it.
  kEvictdGrace,         ///< The same with the default grace and its floor.
  kEvictdPoll,          ///< Polling every 10 s as the kubelet does, grace 0, as the kernel has it.
  kEvictdKubelet,       ///< With BPF, grace 0, memory.available as the kubelet has it.
  kEvictdKubeletGrace,  ///< The same with the default grace and its floor.
  kEarlyoom,
  kNohang,
  kOomd,
  kSystemdOomd,
};

/// What swap the machine has.
enum class SwapKind {
  kNone,
  kZram,  ///< Compressed in memory.
  kFile,  ///< On the disk.
};

/// Under what conditions.
struct RaceScene {
  SwapKind swap = SwapKind::kNone;
  stage::PageKind pages = stage::PageKind::k4KiB;
  /// The hog's bytes a second; 0: as fast as it can.
  Bytes rate{0};
  /// Of memory.available, as a configuration has it.
  std::string_view threshold = "100Mi";
};

struct RaceRow {
  RaceScene scene;
  Racer racer = Racer::kEvictd;
};

/// Trials that are made once and reported in each of these rows, at least one. They differ in
/// nothing but a threshold that their racer does not know: only the time since its crossing is
/// another one.
struct RaceRun {
  std::vector<RaceRow> rows;

  [[nodiscard]] const RaceRow& first() const { return rows.front(); }
};

[[nodiscard]] std::string_view name_of(Racer racer);
[[nodiscard]] std::string_view name_of(SwapKind swap);
/// evictd in one of its ways: no other racer knows the row's threshold.
[[nodiscard]] bool is_evictd(Racer racer);
/// What memory.available is worked out from in it, as a configuration has it.
[[nodiscard]] std::string_view memory_source_of(Racer racer);
/// The threshold in bytes on a machine with so much memory.
[[nodiscard]] Bytes threshold_of(const RaceScene& scene, Bytes capacity);
/// What a reader of the results sees.
[[nodiscard]] nlohmann::json params_of(const RaceRow& row);
/// "evictd full 4k 100Mi noswap": what --rows selects by.
[[nodiscard]] std::string title_of(const RaceRow& row);
/// Every row that `selection` wants. A group is what races one kind of hog with or without swap, in
/// an order that was drawn once and is the same in every sitting, whatever is selected.
[[nodiscard]] std::vector<std::vector<RaceRun>> race_plan(const Selection& selection);

}  // namespace evictd::bench
