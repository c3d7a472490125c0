// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evictd/time.h"
#include "export/eviction_record.h"

namespace evictd::cli {

/// What was sent to the victim and what became of it, in one sentence. Of a dry run what would have
/// been sent: nothing was, and nobody ended.
[[nodiscard]] std::string how_text(const exporting::EvictionRecord& record);

/// Of the decision whose grace another one cut.
[[nodiscard]] std::string cut_text(const exporting::EvictionRecord& cut);

/// The moments of a decision by what happened then, in their order; of a dry run by what would
/// have. Unset for what did not happen.
[[nodiscard]] std::vector<std::pair<std::string, std::optional<MonoTime>>> moments_of(
    const exporting::EvictionRecord& record);

}  // namespace evictd::cli
