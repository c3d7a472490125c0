// SPDX-License-Identifier: Apache-2.0
// One kind of case file: how its input is answered and what counts as right.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "evictd/result.h"
#include "eviction/compat.h"

namespace evictd::vectors {

using Json = nlohmann::json;

struct Suite {
  /// Name of the case file without ".jsonl".
  std::string_view name;
  /// Answers one input, in the schema of `expected`.
  /// Errors: kMalformed for an input that is not of the schema, naming the field.
  Result<Json> (*answer)(const Json& input, eviction::Compat compat);
  /// Whether the answer is right.
  bool (*accepts)(const Json& expected, const Json& actual);
};

/// The suite of that name, null if there is none.
[[nodiscard]] const Suite* find_suite(std::string_view name);

/// For suites whose answer must be the expected one word for word.
[[nodiscard]] bool equal(const Json& expected, const Json& actual);

[[nodiscard]] Result<Json> answer_quantity(const Json& input, eviction::Compat compat);
[[nodiscard]] bool accept_quantity(const Json& expected, const Json& actual);
[[nodiscard]] Result<Json> answer_parse_thresholds(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_thresholds(const Json& input, eviction::Compat compat);
[[nodiscard]] bool accept_thresholds(const Json& expected, const Json& actual);
[[nodiscard]] Result<Json> answer_observations(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_qos(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_rank_memory(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_rank_pid(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_rank_disk(const Json& input, eviction::Compat compat);
/// A ranking is one list of names; each group of the expected one may come in any order.
[[nodiscard]] bool accept_ranking(const Json& expected, const Json& actual);
[[nodiscard]] Result<Json> answer_messages(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_notifier(const Json& input, eviction::Compat compat);
[[nodiscard]] Result<Json> answer_synchronize(const Json& input, eviction::Compat compat);
/// Each step must have one of the permitted outcomes and agree in all else.
[[nodiscard]] bool accept_synchronize(const Json& expected, const Json& actual);

}  // namespace evictd::vectors
