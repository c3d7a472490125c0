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

/// One key of the file. Everything that is done for each key (reading, writing, comparing, naming
/// the nearest one) goes over the table of these.
struct Key {
  /// Dotted when it is in a group: "sweep.basePeriod".
  std::string name;
  Effect effect = Effect::kReload;
  /// Reads the value of the file into its setting.
  std::function<Result<>(const Value&, Settings&)> read;
  /// The setting as `read` would take it; null while it is unset and has no default.
  std::function<nlohmann::ordered_json(const Settings&)> write;
  /// Takes the setting over from the first to the second.
  std::function<void(const Settings&, Settings&)> copy;
  /// The setting itself where it is a mapping of texts, into which a drop-in file is merged entry
  /// by entry; else empty.
  std::function<std::map<std::string, std::string>&(Settings&)> entries;
};

/// Every key, in the order of docs/configuration.md; those of a group are neighbours.
[[nodiscard]] const std::vector<Key>& all_keys();

/// The key of that name, or null.
[[nodiscard]] const Key* find_key(std::string_view name);

/// Names that may stand directly in the group `group` ("" for the top of the file), groups
/// included.
[[nodiscard]] std::vector<std::string> names_in(std::string_view group);

/// Keys that a kubelet's file may have and that mean nothing here, each with what to know instead.
/// Empty if `name` is none of them.
[[nodiscard]] std::string_view ignored_key_reason(std::string_view name);

}  // namespace evictd::config
