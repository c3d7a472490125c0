// SPDX-License-Identifier: Apache-2.0
// The kubelet's own file and its flags.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "config/eviction_fields.h"
#include "config/keys.h"
#include "config/kubelet_schema.h"
#include "config/validator.h"
#include "core/go_duration.h"
#include "document/scalar.h"
#include "evictd/try.h"
#include "eviction/parse_thresholds.h"

namespace evictd::config {
namespace {

constexpr std::string_view kTransitionPeriod = "evictionPressureTransitionPeriod";
constexpr std::string_view kSoftGracePeriod = "evictionSoftGracePeriod";

bool is_zero_duration(const YamlNode& node) {
  const Result<Duration> duration = core::parse_go_duration(node.text);
  return duration && *duration == Duration::zero();
}

/// Whether an empty text in the kubelet's own file means unset, because the kubelet fills in its
/// defaults there. In a drop-in file or flag the empty text replaces the earlier value.
bool is_unset(const YamlEntry& entry) {
  return (entry.key == "cgroupRoot" || entry.key == "cgroupDriver" || entry.key == "podLogsDir") &&
         entry.value.kind == YamlNode::Kind::kScalar && entry.value.text.empty();
}

/// Rewrites what the kubelet's laxer reader accepts to the form of evictd's own file.
void make_strict(YamlEntry& entry) {
  YamlNode& node = entry.value;
  if (node.kind != YamlNode::Kind::kScalar) {
    return;
  }
  if (entry.key == "cgroupRoot" && !node.text.starts_with('/')) {
    node.text.insert(0, 1, '/');
  }
  // If empty, the kubelet uses the container runtime's driver, or cgroupfs: accept both.
  if (entry.key == "cgroupDriver" && node.text.empty()) {
    node.text = "auto";
  }
  if (!node.plain) {
    return;
  }
  if (entry.key == "cgroupsPerQOS" || entry.key == "localStorageCapacityIsolation") {
    node.text = document::yaml_truth(node.text).value_or(false) ? "true" : "false";
  } else if (entry.key == "evictionMaxPodGracePeriod") {
    // A float in the wrong place was refused before.
    const auto number = document::whole_number(node.text);
    const auto whole = number ? number : document::whole_yaml_float(node.text);
    node.text = whole ? std::to_string(*whole) : node.text;
  }
}

}  // namespace

Origin Validator::here(int line) const {
  return {.kind = Origin::Kind::kFile, .source = std::string(filename_), .line = line};
}

void Validator::forget_origins(const std::string& key) {
  std::erase_if(config_.origins_, [&](const auto& origin) {
    return origin.first == key || origin.first.starts_with(key + "[");
  });
}

bool Validator::is_own(const Origin& origin) const {
  return origin.kind == Origin::Kind::kFile && origin.source == own_file_;
}

bool Validator::read_special_entry(const YamlEntry& entry) {
  if (entry.key == "apiVersion" || entry.key == "kind") {
    return true;
  }
  if (entry.key == kMergeDefaults) {
    merge_default_hard_ = document::yaml_truth(entry.value.text).value_or(false)
                              ? std::optional(here(entry.line))
                              : std::nullopt;
    return true;
  }
  if (!is_taken_over(entry.key)) {
    if (!is_null(entry)) {
      std::erase_if(config_.ignored_, [&](const Ignored& field) { return field.key == entry.key; });
      config_.ignored_.push_back({.key = entry.key, .origin = here(entry.line)});
    }
    return true;
  }
  return false;
}

Result<> Validator::read_kubelet_file(const YamlNode& root, std::string_view filename) {
  filename_ = filename;
  for (const YamlEntry& entry : root.entries) {
    if (read_special_entry(entry) || is_null(entry) || is_unset(entry)) {
      continue;
    }
    YamlEntry given = entry;
    // The kubelet fills in defaults only here, and treats this zero as unset.
    if (given.key == kTransitionPeriod && is_zero_duration(given.value)) {
      config_.warnings_.push_back(
          {.key = given.key,
           .text = fmt::format("{}: {}: 0s in the kubelet's file means its default, 5m",
                               to_string(here(given.line)), given.key)});
      given.value.text = "5m";
    }
    EVICTD_TRY(replace(*find_key(given.key), given, here(given.line)));
  }
  return {};
}

Result<> Validator::replace(const Key& key, YamlEntry entry, const Origin& origin) {
  make_strict(entry);
  const bool is_flag = origin.kind == Origin::Kind::kFlag;
  const std::string place = is_flag ? to_string(origin) : std::string(filename_);
  // Later kubelets refuse duplicates.
  const Repeats repeats = config_.settings_.compatibility == eviction::Compat::k1_26
                              ? Repeats::kDropped
                              : Repeats::kRefused;
  EVICTD_TRY(key.read({.node = entry.value, .filename = place, .key = key.name, .repeats = repeats},
                      config_.settings_));
  warn_of_repeats(entry, origin);
  forget_origins(key.name);
  config_.origins_[key.name] = origin;
  for (const YamlEntry& member : entry.value.entries) {
    Origin& noted = config_.origins_[fmt::format("{}[{}]", key.name, member.key)] = origin;
    noted.line = member.line;
  }
  return {};
}

void Validator::warn_of_repeats(const YamlEntry& list, const Origin& origin) {
  std::map<std::string_view, int> uses;
  for (std::size_t i = 0; i < list.value.items.size(); ++i) {
    const YamlNode& item = list.value.items[i];
    if (++uses[item.text] != 2) {
      continue;
    }
    Origin place = origin;
    place.line = item.line;
    config_.warnings_.push_back(
        {.key = fmt::format("{}[{}]", list.key, i),
         .text = fmt::format("{}: {}[{}]: \"{}\" is given more than once; it counts once",
                             to_string(place), list.key, i, item.text)});
  }
}

void Validator::end_files() {
  if (!merge_default_hard_) {
    return;
  }
  fill_in_defaults();
  Settings& settings = config_.settings_;
  config_.warnings_.push_back(
      {.key = std::string(kMergeDefaults),
       .text = fmt::format(
           "{}: {}: the kubelet of compatibility {} has no such field and drops the "
           "defaults that are added here",
           to_string(*merge_default_hard_), kMergeDefaults, name_of(settings.compatibility))});
  for (const auto& [signal, text] : eviction::default_eviction_hard(settings.compatibility)) {
    if (settings.eviction.hard.emplace(signal, text).second) {
      config_.origins_[fmt::format("evictionHard[{}]", signal)] = {
          .kind = Origin::Kind::kCompat,
          .source = std::string(name_of(settings.compatibility)),
          .line = 0};
    }
  }
}

void Validator::leave_out_lone_graces() {
  EvictionSettings& eviction = config_.settings_.eviction;
  std::erase_if(eviction.soft_grace_period, [&](const auto& grace) {
    const std::string key = fmt::format("{}[{}]", kSoftGracePeriod, grace.first);
    const Origin origin = config_.origin(key);
    if (eviction.soft.contains(grace.first) || is_own(origin)) {
      return false;
    }
    config_.warnings_.push_back(
        {.key = key,
         .text = fmt::format("{}: {}: no soft threshold has this signal; evictd leaves it out",
                             to_string(origin), key)});
    config_.origins_.erase(key);
    return true;
  });
}

Result<> Validator::read_flag(const FlagValue& flag) {
  const Origin origin{.kind = Origin::Kind::kFlag, .source = flag.name, .line = 0};
  const Key* key = find_key(flag.key);
  if (key == nullptr) {
    std::erase_if(config_.ignored_, [&](const Ignored& field) { return field.key == flag.key; });
    config_.ignored_.push_back({.key = flag.key, .origin = origin});
    return {};
  }
  for (const std::string& name : flag.repeated) {
    config_.warnings_.push_back(
        {.key = key->name,
         .text = fmt::format("flag {}: {}[{}]: given more than once; the last one holds", flag.name,
                             key->name, name)});
  }
  return replace(*key, {.key = key->name, .line = 0, .value = flag.node}, origin);
}

}  // namespace evictd::config
