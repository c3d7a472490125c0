// SPDX-License-Identifier: Apache-2.0
#include "config/validator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/contradictions.h"
#include "config/eviction_fields.h"
#include "config/keys.h"
#include "config/warnings.h"
#include "core/nearest_name.h"
#include "evictd/try.h"
#include "eviction/parse_thresholds.h"

namespace evictd::config {
namespace {

std::string dotted(const std::string& group, const std::string& name) {
  return group.empty() ? name : fmt::format("{}.{}", group, name);
}

/// Finds the key with the same last part of its name, so that a key at the wrong level is
/// recognized.
std::string key_of_same_last_part(std::string_view name) {
  for (const Key& key : all_keys()) {
    const std::string_view last = std::string_view(key.name).substr(key.name.rfind('.') + 1);
    if (core::edit_distance(name, last) == 0) {
      return key.name;
    }
  }
  return {};
}

/// Whether this is a name within one mapping. "" would mean the file itself. "sweep.floor" would
/// mean a key given elsewhere, which the check for duplicates could not see.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find('.') == std::string_view::npos;
}

/// The group at the start of `name`, as in "sweep.floor", if `siblings` has it; else empty.
std::string group_before_dot(const std::string& name, const std::vector<std::string>& siblings) {
  const std::size_t dot = name.find('.');
  const std::string group = dot == std::string::npos ? std::string() : name.substr(0, dot);
  return std::find(siblings.begin(), siblings.end(), group) == siblings.end() ? std::string()
                                                                              : group;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The allowed keys at the top in an error: a short text, because there are many. A user who passes
/// the kubelet's own file learns which option it belongs to.
std::string allowed_at_the_top(std::string_view unknown_key) {
  const bool kubelets = unknown_key == "apiVersion" || unknown_key == "kind";
  return fmt::format("the keys that evictd --check prints{}",
                     kubelets ? "; a KubeletConfiguration goes to --kubelet-config" : "");
}

}  // namespace

Result<> Validator::read_own(const YamlNode& root, std::string_view filename) {
  filename_ = filename;
  own_file_ = filename;
  if (root.kind == YamlNode::Kind::kNull) {
    return {};
  }
  const Value whole{.node = root, .filename = filename_, .key = ""};
  return expect_map(whole, "a mapping of keys to values")
      .and_then([&] { return read_compatibility(root); })
      .and_then([&] { return read_group(root, ""); });
}

Result<Config> Validator::finish(std::string_view name) {
  fill_in_defaults();
  leave_out_lone_graces();
  EVICTD_TRY(check_contradictions(config_.settings_, config_.origins_, name));
  EVICTD_TRY(check_attach_pins());
  EVICTD_ASSIGN_OR_RETURN(config_.thresholds_, make_thresholds(config_.settings_, name));
  const std::vector<Warning> found = find_warnings(config_, own_file_);
  config_.warnings_.insert(config_.warnings_.end(), found.begin(), found.end());
  return std::move(config_);
}

Result<> Validator::read_compatibility(const YamlNode& root) {
  const YamlEntry* const entry = entry_in(root, "compatibility");
  return entry == nullptr ? Result<>() : read_entry(*entry, "");
}

Result<> Validator::read_group(const YamlNode& map, const std::string& group) {
  for (const YamlEntry& entry : map.entries) {
    EVICTD_TRY(read_entry(entry, group));
  }
  return {};
}

Result<> Validator::read_entry(const YamlEntry& entry, const std::string& group) {
  if (!is_plain_name(entry.key)) {
    return refuse_unknown(entry, group);
  }
  const std::string name = dotted(group, entry.key);
  const Value value{.node = entry.value, .filename = filename_, .key = name};
  if (const Key* key = find_key(name); key != nullptr) {
    set_origin(name, entry);
    return key->read(value, config_.settings_);
  }
  if (const std::vector<std::string> members = names_in(name); !members.empty()) {
    const std::string allowed = fmt::format("a mapping with {}", joined(members));
    return expect_map(value, allowed).and_then([&] { return read_group(entry.value, name); });
  }
  if (const std::string_view reason = ignored_key_reason(name); !reason.empty()) {
    config_.warnings_.push_back(Warning{.key = name,
                                        .text = fmt::format("{}:{}: {} means nothing here: {}",
                                                            filename_, entry.line, name, reason)});
    return {};
  }
  return refuse_unknown(entry, group);
}

Failure Validator::refuse_unknown(const YamlEntry& entry, const std::string& group) const {
  const std::vector<std::string> siblings = names_in(group);
  std::string nearest = key_of_same_last_part(entry.key);
  if (nearest.empty()) {
    const std::string before_dot = group_before_dot(entry.key, siblings);
    nearest =
        dotted(group, before_dot.empty() ? core::nearest_name(entry.key, siblings) : before_dot);
  }
  const std::string key = dotted(group, entry.key.empty() ? R"("")" : entry.key);
  const std::string text = shown(entry.value);
  const std::string reason = fmt::format("unknown key, the nearest is {}", nearest);
  return refuse({.filename = filename_,
                 .line = entry.line,
                 .key = key,
                 .shown = text,
                 .reason = reason,
                 .allowed = group.empty() ? allowed_at_the_top(entry.key) : joined(siblings)});
}

void Validator::set_origin(const std::string& key, const YamlEntry& entry) {
  config_.origins_[key] = here(entry.line);
  for (const YamlEntry& member : entry.value.entries) {
    config_.origins_[fmt::format("{}[{}]", key, member.key)] = here(member.line);
  }
}

void Validator::fill_in_defaults() {
  if (config_.origins_.contains("evictionHard")) {
    return;
  }
  Settings& settings = config_.settings_;
  settings.eviction.hard = eviction::default_eviction_hard(settings.compatibility);
  const Origin compat{.kind = Origin::Kind::kCompat,
                      .source = std::string(name_of(settings.compatibility)),
                      .line = 0};
  config_.origins_["evictionHard"] = compat;
  for (const auto& [signal, text] : settings.eviction.hard) {
    config_.origins_[fmt::format("evictionHard[{}]", signal)] = compat;
  }
}

Result<> Validator::check_attach_pins() const {
  if (vocabulary_.attach_rows.empty()) {
    return {};
  }
  std::vector<std::string> purposes;
  for (const auto& [purpose, rows] : vocabulary_.attach_rows) {
    purposes.push_back(purpose);
  }
  for (const auto& [purpose, row] : config_.settings_.attach_pins) {
    const std::string key = fmt::format("attachPins[{}]", purpose);
    const auto known = vocabulary_.attach_rows.find(purpose);
    const bool has_purpose = known != vocabulary_.attach_rows.end();
    if (has_purpose && (row == "none" || std::find(known->second.begin(), known->second.end(),
                                                   row) != known->second.end())) {
      continue;
    }
    const std::string reason = has_purpose ? fmt::format("unknown row, the nearest is {}",
                                                         core::nearest_name(row, known->second))
                                           : fmt::format("unknown purpose, the nearest is {}",
                                                         core::nearest_name(purpose, purposes));
    const std::string allowed =
        has_purpose ? fmt::format("{}, none", joined(known->second)) : joined(purposes);
    const Origin origin = config_.origin(key);
    return refuse({.filename = origin.source,
                   .line = origin.line,
                   .key = key,
                   .shown = row,
                   .reason = reason,
                   .allowed = allowed});
  }
  return {};
}

}  // namespace evictd::config
