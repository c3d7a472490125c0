// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace evictd::web {

/// Selects evictd's records.
struct RecordQuery {
  std::size_t limit = 100;
  /// Only records with one of these outcomes, separated by commas; "" for all.
  std::string outcomes;
};

/// The newest records first. Omits what only the page of one record needs: ranking, observations,
/// thresholds and local candidates. `answer` is evictd's answer to {"op":"records"}.
[[nodiscard]] nlohmann::ordered_json list_records(const nlohmann::ordered_json& answer,
                                                  const RecordQuery& query);

/// One complete record; null if evictd's memory has none with this id.
[[nodiscard]] nlohmann::ordered_json find_record(const nlohmann::ordered_json& answer,
                                                 std::uint64_t id);

}  // namespace evictd::web
