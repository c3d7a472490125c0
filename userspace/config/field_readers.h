// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/value.h"

namespace evictd::config {

// Readers and writers of settings that have their own format.

/// A quantity, or a percentage of the threshold: "256Mi", "50%".
[[nodiscard]] Result<Floor> read_floor(const Value& value);
[[nodiscard]] nlohmann::ordered_json write_floor(const Floor& floor);

/// Maps purpose to row; both names in lower case.
[[nodiscard]] Result<std::map<std::string, std::string>> read_attach_pins(const Value& value);

/// A list of {glob, name, priority, memoryRequest}; only `glob` is required.
[[nodiscard]] Result<std::vector<PodGlob>> read_pod_globs(const Value& value);
[[nodiscard]] nlohmann::ordered_json write_pod_globs(const std::vector<PodGlob>& globs);

/// The kubelet's names of enforcement levels; "none" only alone. `value.repeats` says what happens
/// to duplicates.
[[nodiscard]] Result<std::vector<std::string>> read_enforce_node_allocatable(const Value& value);

/// A path, or "none".
[[nodiscard]] Result<std::string> read_path_or_none(const Value& value);
/// A path, or "" in quotes for none.
[[nodiscard]] Result<std::string> read_path_or_nothing(const Value& value);

}  // namespace evictd::config
