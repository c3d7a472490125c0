// SPDX-License-Identifier: Apache-2.0
#include "probe/ladder.h"

#include <algorithm>

namespace evictd::probe {

std::string_view to_string(Purpose purpose) {
  switch (purpose) {
    case Purpose::kMemoryCharge:
      return "memory-charge";
    case Purpose::kSweepTimer:
      return "sweep-timer";
    case Purpose::kNodeMemory:
      return "node-memory";
    case Purpose::kNodeAvailable:
      return "node-available";
    case Purpose::kTaskFork:
      return "task-fork";
    case Purpose::kCgroups:
      return "cgroups";
    case Purpose::kStall:
      return "stall";
    case Purpose::kOom:
      return "oom";
    case Purpose::kPerPageCharge:
      return "per-page-charge";
    case Purpose::kBackstop:
      return "backstop";
  }
  return "";
}

std::optional<Purpose> purpose_of(std::string_view name) {
  for (std::size_t i = 0; i < kPurposes; ++i) {
    const auto purpose = static_cast<Purpose>(i);
    if (to_string(purpose) == name) {
      return purpose;
    }
  }
  return std::nullopt;
}

std::string_view PurposeReport::chosen() const {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [](const RowReport& r) { return r.chosen; });
  return row == rows.end() ? std::string_view{} : std::string_view{row->row};
}

std::string_view Ladder::chosen(Purpose purpose) const {
  const auto report = std::find_if(purposes.begin(), purposes.end(),
                                   [&](const PurposeReport& r) { return r.purpose == purpose; });
  return report == purposes.end() ? std::string_view{} : report->chosen();
}

bool Ladder::detects() const {
  return failure.empty() &&
         (!chosen(Purpose::kMemoryCharge).empty() || !chosen(Purpose::kSweepTimer).empty() ||
          !chosen(Purpose::kPerPageCharge).empty());
}

SupportLevel Ladder::level() const {
  const bool nothing_to_watch =
      std::any_of(kernel.begin(), kernel.end(), [](const Feature& feature) {
        return feature.name == kMemoryControllerFact && feature.presence == Presence::kAbsent;
      });
  if (nothing_to_watch) {
    return SupportLevel::kUnusable;
  }
  if (!detects()) {
    return SupportLevel::kPollOnly;
  }
  const bool all = std::all_of(purposes.begin(), purposes.end(), [](const PurposeReport& r) {
    return r.lost.empty() && !r.is_missing();
  });
  const bool privileged = std::all_of(
      privileges.begin(), privileges.end(),
      [](const Feature& privilege) { return privilege.presence == Presence::kPresent; });
  return all && privileged ? SupportLevel::kFull : SupportLevel::kDegraded;
}

}  // namespace evictd::probe
