// SPDX-License-Identifier: Apache-2.0
#include "config/field_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/nearest_name.h"
#include "evictd/try.h"
#include "eviction/quantity.h"

namespace evictd::config {
namespace {

constexpr std::string_view kAllowedFloor =
    "a quantity such as \"64Mi\", or a percentage of the threshold from 0% to 100%";

std::optional<double> read_percent(std::string_view text) {
  text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && percent >= 0 && percent <= 100 ? std::optional(percent) : std::nullopt;
}

/// Names of purposes and rows of the attach ladder: "memory-charge", "tp_btf".
bool is_ladder_name(std::string_view name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string_view::npos;
}

Result<std::string> read_glob(const Value& value) {
  Result<std::string> glob = read_path(value);
  if (glob && glob->find('[') != std::string::npos) {
    return value.refuse("has a '['", "an absolute path in which * and ? are patterns");
  }
  return glob;
}

/// Reads one member of a pod glob.
Result<> read_pod_glob_member(const Value& member, std::string_view name, PodGlob& glob) {
  constexpr auto kPriorities = Range<std::int64_t>{std::numeric_limits<std::int32_t>::min(),
                                                   std::numeric_limits<std::int32_t>::max()};
  const auto store = [](auto& target) {
    return [&target](auto value) { target = static_cast<std::decay_t<decltype(target)>>(value); };
  };
  if (name == "glob") {
    return read_glob(member).map(store(glob.glob));
  }
  if (name == "name") {
    return read_text(member).map(store(glob.name));
  }
  if (name == "priority") {
    return read_integer(member, kPriorities).map(store(glob.priority));
  }
  if (name == "memoryRequest") {
    return read_bytes(member, {Bytes{0}, Bytes{std::numeric_limits<std::int64_t>::max()}})
        .map(store(glob.memory_request));
  }
  static const std::vector<std::string> kMembers = {"glob", "name", "priority", "memoryRequest"};
  return member.refuse(
      fmt::format("unknown key, the nearest is \"{}\"", core::nearest_name(name, kMembers)),
      fmt::format("{}", fmt::join(kMembers, ", ")));
}

Result<PodGlob> read_pod_glob(const Value& item) {
  EVICTD_TRY(expect_map(item, "a mapping with glob, name, priority, memoryRequest"));
  PodGlob glob;
  for (const YamlEntry& entry : item.node.entries) {
    const Value member{.node = entry.value,
                       .filename = item.filename,
                       .key = fmt::format("{}.{}", item.key, entry.key)};
    EVICTD_TRY(read_pod_glob_member(member, entry.key, glob));
  }
  if (glob.glob.empty()) {
    return item.refuse("no glob", "a mapping that has a glob");
  }
  return glob;
}

}  // namespace

Result<Floor> read_floor(const Value& value) {
  const std::string& text = value.node.text;
  if (value.node.kind != YamlNode::Kind::kScalar || text.empty()) {
    return value.refuse("no quantity", kAllowedFloor);
  }
  if (text.ends_with('%')) {
    const std::optional<double> percent = read_percent(text);
    if (!percent) {
      return value.refuse("not a percentage from 0% to 100%", kAllowedFloor);
    }
    return Floor{.amount = std::nullopt, .percent = *percent};
  }
  const Result<eviction::Quantity> quantity = eviction::Quantity::parse(text);
  if (!quantity) {
    return value.refuse(quantity.error().message(), kAllowedFloor);
  }
  if (quantity->sign() < 0) {
    return value.refuse("negative", kAllowedFloor);
  }
  return Floor{.amount = quantity->value(), .percent = 0};
}

nlohmann::ordered_json write_floor(const Floor& floor) {
  return floor.amount ? format_bytes(Bytes{*floor.amount}) : fmt::format("{}%", floor.percent);
}

Result<std::string> read_path_or_none(const Value& value) {
  if (value.node.kind == YamlNode::Kind::kScalar && value.node.text == "none") {
    return std::string("none");
  }
  return read_path(value);
}

Result<std::string> read_path_or_nothing(const Value& value) {
  const YamlNode& node = value.node;
  if (node.kind == YamlNode::Kind::kScalar && !node.plain && node.text.empty()) {
    return std::string();
  }
  return read_path(value);
}

Result<std::map<std::string, std::string>> read_attach_pins(const Value& value) {
  constexpr std::string_view kAllowed =
      "purpose to row as `evictctl doctor` names them, such as memory-charge: kprobe";
  EVICTD_TRY(expect_map(value, kAllowed));
  std::map<std::string, std::string> pins;
  for (const YamlEntry& entry : value.node.entries) {
    const Value row = entry_of(value, entry);
    if (!is_ladder_name(entry.key)) {
      return row.refuse("unknown purpose", kAllowed);
    }
    if (row.node.kind != YamlNode::Kind::kScalar || !is_ladder_name(row.node.text)) {
      return row.refuse("unknown row", kAllowed);
    }
    pins.emplace(entry.key, row.node.text);
  }
  return pins;
}

Result<std::vector<PodGlob>> read_pod_globs(const Value& value) {
  EVICTD_TRY(expect_list(value, "a list of mappings that have a glob"));
  std::vector<PodGlob> globs;
  for (std::size_t i = 0; i < value.node.items.size(); ++i) {
    const Value item = item_of(value, i);
    EVICTD_ASSIGN_OR_RETURN(PodGlob glob, read_pod_glob(item));
    const bool given = std::any_of(globs.begin(), globs.end(),
                                   [&](const PodGlob& other) { return other.glob == glob.glob; });
    if (given) {
      return item.refuse(fmt::format("glob \"{}\" given twice", glob.glob), "each glob once");
    }
    globs.push_back(std::move(glob));
  }
  return globs;
}

nlohmann::ordered_json write_pod_globs(const std::vector<PodGlob>& globs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PodGlob& glob : globs) {
    nlohmann::ordered_json item = {{"glob", glob.glob}};
    if (!glob.name.empty()) {
      item["name"] = glob.name;
    }
    item["priority"] = glob.priority;
    if (glob.memory_request) {
      item["memoryRequest"] = format_bytes(*glob.memory_request);
    }
    list.push_back(std::move(item));
  }
  return list;
}

Result<std::vector<std::string>> read_enforce_node_allocatable(const Value& value) {
  static const std::vector<std::string> kLevels = {"pods",
                                                   "system-reserved",
                                                   "kube-reserved",
                                                   "system-reserved-compressible",
                                                   "kube-reserved-compressible",
                                                   "none"};
  const std::string allowed =
      fmt::format("a list of {}; none only alone", fmt::join(kLevels.begin(), kLevels.end(), ", "));
  EVICTD_TRY(expect_list(value, allowed));
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < value.node.items.size(); ++i) {
    const Value item = item_of(value, i);
    const std::string& level = item.node.text;
    if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
      return item.refuse("unknown", allowed);
    }
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) {
      levels.push_back(level);
    } else if (value.repeats == Repeats::kRefused) {
      return item.refuse("given twice", allowed);
    }
  }
  // The kubelet counts the entries as written, so "none" twice is not "none" alone.
  if (value.node.items.size() > 1 &&
      std::find(levels.begin(), levels.end(), "none") != levels.end()) {
    return value.refuse("\"none\" beside others", allowed);
  }
  return levels;
}

}  // namespace evictd::config
