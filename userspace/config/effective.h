// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.h"

namespace evictd::config {

/// Every setting as YAML; a comment on each value says where it came from. Parsing the result again
/// gives an equal Config.
[[nodiscard]] std::string effective_yaml(const Config& config);

/// The same as one JSON object on one line: `settings` in the shape of the file, `origins` by key,
/// `warnings` as a list of {key, text}, `ignored` as a list of {key, origin}.
[[nodiscard]] std::string effective_json(const Config& config);

}  // namespace evictd::config
