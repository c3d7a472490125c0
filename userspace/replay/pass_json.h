// SPDX-License-Identifier: Apache-2.0
// The JSON form of what goes into a pass and comes out of it. Whole: what was written reads back as
// equal, and equal things are written as the same bytes.
#pragma once

#include "export/json_fields.h"
#include "replay/recording.h"

namespace evictd::replay {

[[nodiscard]] Json to_json(const eviction::Observations& observations);
[[nodiscard]] Json to_json(const eviction::PassState& state);
[[nodiscard]] Json to_json(const eviction::SuspendedPass& suspended);
[[nodiscard]] Json to_json(const eviction::Decision& decision);
[[nodiscard]] Json to_json(const eviction::PodFacts& facts);
[[nodiscard]] Json to_json(const RecordedPod& pod);
[[nodiscard]] Json to_json(const RecordedPodPass& pod);
[[nodiscard]] Json to_json(const RecordedPass& pass);

[[nodiscard]] eviction::PassState state_from_json(exporting::JsonFields fields);
[[nodiscard]] eviction::SuspendedPass suspended_from_json(exporting::JsonFields fields);
[[nodiscard]] RecordedPod pod_from_json(exporting::JsonFields fields);
[[nodiscard]] RecordedPass pass_from_json(exporting::JsonFields fields);

/// "regular" or "event".
[[nodiscard]] std::string_view to_string(eviction::Cadence cadence);

/// A number of 128 bits: as a number where 64 bits hold it, else as text.
[[nodiscard]] Json wide_json(eviction::Wide value);
/// Its reader, from -1e37 to 1e37.
[[nodiscard]] eviction::Wide wide_from(exporting::JsonFields& fields, const char* key);

}  // namespace evictd::replay
