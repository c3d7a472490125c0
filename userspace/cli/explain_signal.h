// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evictd/time.h"
#include "export/eviction_record.h"

namespace evictd::cli {

/// The signals sent to the victim and their effect, in one sentence. For a dry run, the signals
/// that would have been sent.
[[nodiscard]] std::string how_text(const exporting::EvictionRecord& record);

/// For the decision whose grace another one cut.
[[nodiscard]] std::string cut_text(const exporting::EvictionRecord& cut);

/// The moments of a decision, named and in order; for a dry run those that would have been. Unset
/// for steps that did not happen.
[[nodiscard]] std::vector<std::pair<std::string, std::optional<MonoTime>>> moments_of(
    const exporting::EvictionRecord& record);

}  // namespace evictd::cli
