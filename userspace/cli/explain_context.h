// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "export/eviction_record.h"

namespace evictd::cli {

/// Whence the grace of the victim came, in one sentence; empty where the record does not tell.
[[nodiscard]] std::string grace_source_text(const exporting::EvictionRecord& record);

/// That the OOM guard was due, and what it saw; empty where it was not.
[[nodiscard]] std::string guard_text(const exporting::EvictionRecord& record);

/// Who stood before the victim in the ranking and why each was passed over; empty for nobody.
[[nodiscard]] std::string passed_over_text(const exporting::EvictionRecord& record);

/// What else the record has, a sentence each: how memory.available was worked out, brakes, what a
/// kubelet would have posted, and what the victim still holds.
[[nodiscard]] std::vector<std::string> context_texts(const exporting::EvictionRecord& record);

}  // namespace evictd::cli
