// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "export/eviction_record.h"

namespace evictd::cli {

/// The threshold that the decision is about; null if the record lacks it. Borrowed from the record.
[[nodiscard]] const exporting::RecordedThreshold* threshold_of(
    const exporting::EvictionRecord& record);

/// The source of the victim's grace period, in one sentence; empty if the record does not have it.
[[nodiscard]] std::string grace_source_text(const exporting::EvictionRecord& record);

/// A sentence that the OOM guard was due, and its observation; empty if it was not.
[[nodiscard]] std::string guard_text(const exporting::EvictionRecord& record);

/// The pods before the victim in the ranking and why each was passed over; empty for none.
[[nodiscard]] std::string passed_over_text(const exporting::EvictionRecord& record);

/// The rest of the record, one sentence each: how memory.available was computed, brakes, what a
/// kubelet would have posted, and what the victim still holds.
[[nodiscard]] std::vector<std::string> context_texts(const exporting::EvictionRecord& record);

}  // namespace evictd::cli
