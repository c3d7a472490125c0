// SPDX-License-Identifier: Apache-2.0
// The kubelet's drop-in files. The kubelet merges them into what its file says, its defaults filled
// in, and reads the result over just that: what null took out of the merge holds as it was before.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "config/keys.h"
#include "config/kubelet_schema.h"
#include "config/validator.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

/// "evictionHard[memory.available]".
std::string member_key(const Key& key, const std::string& member) {
  return fmt::format("{}[{}]", key.name, member);
}

}  // namespace

Result<> Validator::merge_drop_in(const YamlNode& root, std::string_view filename) {
  filename_ = filename;
  remember_before_drop_ins();
  for (const YamlEntry& entry : root.entries) {
    if (entry.key == kMergeDefaults && is_null(entry)) {
      merge_default_hard_ = before_drop_ins_->merge_default_hard;
      continue;
    }
    if (read_special_entry(entry)) {
      continue;
    }
    const Key& key = *find_key(entry.key);
    if (is_null(entry)) {
      revert(key);
      continue;
    }
    EVICTD_TRY(key.entries ? merge(key, entry) : replace(key, entry, here(entry.line)));
  }
  return {};
}

void Validator::remember_before_drop_ins() {
  if (before_drop_ins_) {
    return;
  }
  fill_in_defaults();
  before_drop_ins_ = BeforeDropIns{.settings = config_.settings_,
                                   .origins = config_.origins_,
                                   .merge_default_hard = merge_default_hard_};
}

Result<> Validator::merge(const Key& key, const YamlEntry& entry) {
  YamlNode given = entry.value;
  std::erase_if(given.entries, is_null);
  Settings read_here = config_.settings_;
  EVICTD_TRY(key.read({.node = given, .filename = filename_, .key = key.name}, read_here));
  for (const YamlEntry& member : entry.value.entries) {
    if (is_null(member)) {
      revert(key, member.key);
    } else {
      key.entries(config_.settings_)[member.key] = key.entries(read_here).at(member.key);
      config_.origins_[member_key(key, member.key)] = here(member.line);
    }
  }
  // Names missing from the mapping are due to the source that gave it as a whole.
  if (!given.entries.empty() && config_.origin(key.name).kind != Origin::Kind::kFile) {
    config_.origins_[key.name] = here(entry.line);
  }
  return {};
}

void Validator::revert(const Key& key) {
  key.copy(before_drop_ins_->settings, config_.settings_);
  forget_origins(key.name);
  for (const auto& [name, origin] : before_drop_ins_->origins) {
    if (name == key.name || name.starts_with(key.name + "[")) {
      config_.origins_[name] = origin;
    }
  }
}

void Validator::revert(const Key& key, const std::string& member) {
  const std::string name = member_key(key, member);
  std::map<std::string, std::string>& entries = key.entries(config_.settings_);
  const std::map<std::string, std::string>& before = key.entries(before_drop_ins_->settings);
  entries.erase(member);
  config_.origins_.erase(name);
  if (const auto found = before.find(member); found != before.end()) {
    entries.insert(*found);
    config_.origins_[name] = before_drop_ins_->origins[name];
  }
}

}  // namespace evictd::config
