// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace evictd::web {

/// Which of evictd's records are asked for.
struct RecordQuery {
  std::size_t limit = 100;
  /// Only those with one of these outcomes, separated by commas; "" for all.
  std::string outcomes;
};

/// The newest records first, without what only one record's page needs: ranking, observations,
/// thresholds and local candidates. `answer` is evictd's to {"op":"records"}.
[[nodiscard]] nlohmann::ordered_json list_records(const nlohmann::ordered_json& answer,
                                                  const RecordQuery& query);

/// One record whole; null if evictd's memory has none of this id.
[[nodiscard]] nlohmann::ordered_json find_record(const nlohmann::ordered_json& answer,
                                                 std::uint64_t id);

}  // namespace evictd::web
