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

/// Registrations that the costs are taken of.
inline constexpr int kManyRegistrations = 1000;

/// One row of what registering costs.
struct RegisteringRow {
  Notifier notifier = Notifier::kService;
  /// All on one cgroup, or spread over many.
  bool spread = false;

  /// "register service one", "register kernel spread"
  [[nodiscard]] std::string title() const;
};

/// Every row that `selection` wants; the kernel's own only where it has any.
[[nodiscard]] std::vector<RegisteringRow> registering_rows(const Selection& selection,
                                                           bool with_kernel);

/// Makes and ends kManyRegistrations on `cgroups` (memory directories; rows that are not spread
/// use the first) and reports the time of each call and, but for the kernel, the memory of the
/// process that keeps them and of its maps. Errors: those of Listening; kBusy when interrupted.
[[nodiscard]] Result<> measure_registering(const RegisteringRow& row, const PrivateGround& ground,
                                           const std::filesystem::path& programs,
                                           std::span<const std::filesystem::path> cgroups,
                                           Report& report);

/// kManyRegistrations, one in turn on each of `cgroups`, where no value comes near.
[[nodiscard]] Result<> listen_far(Listening& listening,
                                  std::span<const std::filesystem::path> cgroups,
                                  std::vector<base::Fd>& eventfds);

}  // namespace evictd::bench
