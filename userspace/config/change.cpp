// SPDX-License-Identifier: Apache-2.0
#include "config/change.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "config/keys.h"
#include "config/value.h"
#include "config/yaml_tree.h"

namespace evictd::config {
namespace {

/// A value of a Change as an error shows it.
std::string shown_value(const std::string& json) {
  return json == "null" ? "unset" : document::shown_text(json);
}

Failure refuse_change(const Change& change, const std::string& others, const Config& before,
                      const Config& after) {
  const Origin origin = after.origin(change.key);
  const bool is_given = origin.kind != Origin::Kind::kDefault;
  const bool is_file = origin.kind == Origin::Kind::kFile;
  const std::string place = !is_given ? before.origin(change.key).source
                            : is_file ? origin.source
                                      : to_string(origin);
  const std::string now = shown_value(change.before);
  const std::string wanted = shown_value(change.after);
  const std::string reason = fmt::format("a change{} needs a restart, until then {} holds",
                                         others.empty() ? "" : ", as of " + others + ",", now);
  return refuse({.filename = place,
                 .line = is_file ? origin.line : 0,
                 .key = change.key,
                 .shown = is_given ? wanted : wanted + " (default, no longer given)",
                 .reason = reason,
                 .allowed = now + ", or a restart"});
}

/// Whether the changed key says what holds already: with a default that follows other keys.
bool holds_already(const Change& change, const Config& before, const Config& after) {
  return change.key == "inKernelBrake" &&
         before.settings().in_kernel_brake_mode() == after.settings().in_kernel_brake_mode();
}

}  // namespace

std::vector<Change> diff(const Config& before, const Config& after) {
  std::vector<Change> changes;
  for (const Key& key : all_keys()) {
    const nlohmann::ordered_json old_value = key.write(before.settings());
    const nlohmann::ordered_json new_value = key.write(after.settings());
    if (old_value != new_value) {
      changes.push_back(Change{.key = key.name,
                               .effect = key.effect,
                               .before = old_value.dump(),
                               .after = new_value.dump()});
    }
  }
  return changes;
}

Result<> check_reload(const Config& before, const Config& after) {
  std::optional<Change> first;
  std::string others;
  for (Change& change : diff(before, after)) {
    if (change.effect != Effect::kRestart || holds_already(change, before, after)) {
      continue;
    }
    if (first) {
      others += (others.empty() ? "" : ", ") + change.key;
    } else {
      first = std::move(change);
    }
  }
  return first ? Result<>(refuse_change(*first, others, before, after)) : Result<>();
}

}  // namespace evictd::config
