// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/time.h"
#include "harness/selection.h"
#include "stage/load_process.h"

namespace evictd::bench {

/// The program that detects the crossing and kills.
enum class Killer {
  kEvictd,          ///< Its kernel side never kills.
  kEvictdBackstop,  ///< Its kernel side kills a margin past the threshold.
  kEvictdBrake,     ///< Its kernel side kills at the threshold.
  kEventfd,
  kPoll10ms,
  kPoll100ms,
  kPoll1s,
};

/// The watched memory.
enum class Target {
  kCgroup,  ///< allocatableMemory.available of the private pod root.
  kNode,    ///< memory.available, with a threshold just below the current value.
};

/// The conditions of a row; rows with the same conditions are compared.
struct Scene {
  Target target = Target::kCgroup;
  stage::PageKind pages = stage::PageKind::k4KiB;
  bool busy_loops = false;

  bool operator==(const Scene&) const = default;
};

/// One row of the bench.
struct Row {
  Scene scene;
  Killer killer = Killer::kEvictd;
  bool realtime = false;
};

[[nodiscard]] std::string_view name_of(Killer killer);
/// evictd's inKernelBrake; empty for the other killers.
[[nodiscard]] std::string_view brake_of(Killer killer);
/// Period of a poller; 0 for the others.
[[nodiscard]] Duration period_of(Killer killer);
/// {"killer", "realtime", "busy_loops", "pages", "threshold"}: the row's parameters in the results.
[[nodiscard]] nlohmann::json params_of(const Row& row);
/// "evictd fifo idle 4k cgroup": the words that --rows selects by. A row of evictd with a brake has
/// another first word.
[[nodiscard]] std::string title_of(const Row& row);

/// Every row that `selection` matches, grouped by scene. Omits the eventfd rows if the kernel has
/// no eventfd (cgroup v2). Pollers have rows with busy loops at real-time priority only, evictd's
/// kernel side with a threshold of the cgroup only.
[[nodiscard]] std::vector<std::vector<Row>> plan(const Selection& selection, bool with_eventfd);

}  // namespace evictd::bench
