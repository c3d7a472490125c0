// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/change.h"
#include "config/settings.h"
#include "config/value.h"

namespace evictd::config {

/// One key of the file. All per-key operations (read, write, compare, suggest the nearest name)
/// iterate over the table of keys.
struct Key {
  /// Dotted if the key is in a group: "sweep.basePeriod".
  std::string name;
  Effect effect = Effect::kReload;
  /// Reads the file's value into its setting.
  std::function<Result<>(const Value&, Settings&)> read;
  /// Returns the setting in the form that `read` accepts; null if it is unset and has no default.
  std::function<nlohmann::ordered_json(const Settings&)> write;
  /// Copies the setting from the first Settings to the second.
  std::function<void(const Settings&, Settings&)> copy;
  /// Returns the setting if it is a map of strings, which a drop-in file merges entry by entry;
  /// empty otherwise.
  std::function<std::map<std::string, std::string>&(Settings&)> entries;
};

/// Every key, in the order of docs/configuration.md; keys of a group are adjacent.
[[nodiscard]] const std::vector<Key>& all_keys();

/// Returns the key with that name, or nullptr.
[[nodiscard]] const Key* find_key(std::string_view name);

/// Names that may appear directly in `group` ("" for the top of the file), groups included.
[[nodiscard]] std::vector<std::string> names_in(std::string_view group);

/// For a key that a kubelet's file may have and evictd ignores: what the user should know instead.
/// Empty for any other `name`.
[[nodiscard]] std::string_view ignored_key_reason(std::string_view name);

}  // namespace evictd::config
