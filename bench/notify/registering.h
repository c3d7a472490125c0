// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "harness/private_ground.h"
#include "harness/report.h"
#include "harness/selection.h"
#include "notify/listening.h"

namespace evictd::bench {

/// Number of registrations whose cost is measured.
inline constexpr int kManyRegistrations = 1000;

/// One row of the cost of registering.
struct RegisteringRow {
  Notifier notifier = Notifier::kService;
  /// False: all on one cgroup; true: spread over many.
  bool spread = false;

  /// "register service one", "register kernel spread"
  [[nodiscard]] std::string title() const;
};

/// Every row that `selection` matches; the kernel's rows only if it has registrations.
[[nodiscard]] std::vector<RegisteringRow> registering_rows(const Selection& selection,
                                                           bool with_kernel);

/// Creates and ends kManyRegistrations on `cgroups` (memory directories); rows that are not spread
/// use the first one. Reports the time of each call. Except for the kernel, also reports the memory
/// of the keeping process and of its maps. Errors: those of Listening; kBusy when interrupted.
[[nodiscard]] Result<> measure_registering(const RegisteringRow& row, const PrivateGround& ground,
                                           const std::filesystem::path& programs,
                                           std::span<const std::filesystem::path> cgroups,
                                           Report& report);

/// Creates kManyRegistrations in turn on each of `cgroups`, at levels that usage never approaches.
[[nodiscard]] Result<> register_far(Listening& listening,
                                    std::span<const std::filesystem::path> cgroups,
                                    std::vector<base::Fd>& eventfds);

}  // namespace evictd::bench
