// SPDX-License-Identifier: Apache-2.0
#include "config/kubelet_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/flag_syntax.h"
#include "config/value.h"
#include "core/control_character.h"
#include "core/utf8.h"
#include "document/scalar.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

enum class Syntax { kLessPairs, kEqualPairs, kList, kDuration, kInteger, kTruth, kText };

struct Flag {
  std::string_view name;
  Syntax syntax;
  /// The key of evictd or the field of the kubelet's file. A flag with neither has its own name in
  /// the form of such a field.
  std::string_view key;
  std::string_view help;
};

constexpr std::array<Flag, 14> kFlags{{
    {"--eviction-hard", Syntax::kLessPairs, "evictionHard",
     "hard thresholds, such as memory.available<100Mi,nodefs.available<10%"},
    {"--eviction-soft", Syntax::kLessPairs, "evictionSoft",
     "soft thresholds, each with a grace period"},
    {"--eviction-soft-grace-period", Syntax::kEqualPairs, "evictionSoftGracePeriod",
     "grace periods of soft thresholds, such as memory.available=1m30s"},
    {"--eviction-minimum-reclaim", Syntax::kEqualPairs, "evictionMinimumReclaim",
     "what must be available above a threshold before pressure is over, such as "
     "nodefs.available=2Gi"},
    {"--eviction-pressure-transition-period", Syntax::kDuration, "evictionPressureTransitionPeriod",
     "how long a condition stays"},
    {"--eviction-max-pod-grace-period", Syntax::kInteger, "evictionMaxPodGracePeriod",
     "seconds: the longest grace of a soft eviction"},
    {"--enforce-node-allocatable", Syntax::kList, "enforceNodeAllocatable",
     "pods, system-reserved, kube-reserved, ..., or none"},
    {"--experimental-allocatable-ignore-eviction", Syntax::kTruth,
     "experimentalAllocatableIgnoreEviction",
     "hard thresholds neither count as reserved nor hold for the pods' allocatable memory"},
    {"--system-reserved", Syntax::kEqualPairs, "systemReserved",
     "held back for the system, such as memory=1Gi,pid=1000"},
    {"--kube-reserved", Syntax::kEqualPairs, "kubeReserved", "held back for Kubernetes"},
    {"--kernel-memcg-notification", Syntax::kTruth, "kernelMemcgNotification",
     "no meaning here: crossings are always noticed as eventSource says"},
    {"--cgroup-root", Syntax::kText, "cgroupRoot", "the cgroup below which kubepods is found"},
    {"--cgroups-per-qos", Syntax::kTruth, "cgroupsPerQOS", "whether pods have cgroups"},
    {"--keep-terminated-pod-volumes", Syntax::kTruth, "keepTerminatedPodVolumes",
     "no meaning here: evictd has no volumes"},
}};

std::string_view type_of(Syntax syntax) {
  switch (syntax) {
    case Syntax::kLessPairs:
      return "NAME<VALUE,...";
    case Syntax::kEqualPairs:
      return "NAME=VALUE,...";
    case Syntax::kList:
      return "NAME,...";
    case Syntax::kDuration:
      return "DURATION";
    case Syntax::kInteger:
      return "NUMBER";
    case Syntax::kTruth:
      return "[true|false]";
    case Syntax::kText:
      return "TEXT";
  }
  return "";
}

const Flag* find_flag(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const auto found =
      std::find_if(kFlags.begin(), kFlags.end(), [&](const Flag& f) { return f.name == dashed; });
  return found == kFlags.end() ? nullptr : &*found;
}

Failure refuse_flag(const Flag& flag, std::string_view value, std::string_view reason,
                    std::string_view allowed) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.line = 0;
  node.text = value;
  const std::string place = fmt::format("flag {}", flag.name);
  return Value{.node = node, .filename = place, .key = std::string(flag.key)}.refuse(reason,
                                                                                     allowed);
}

YamlNode node_of(YamlNode::Kind kind) {
  YamlNode node;
  node.kind = kind;
  node.line = 0;
  return node;
}

YamlNode scalar(std::string text, bool plain) {
  YamlNode node = node_of(YamlNode::Kind::kScalar);
  node.text = std::move(text);
  node.plain = plain;
  return node;
}

Result<> add_pairs(const Flag& flag, const std::string& value, FlagValue& into) {
  const char separator = flag.syntax == Syntax::kLessPairs ? '<' : '=';
  const Result<std::vector<FlagPair>> pairs = split_pairs(value, separator);
  if (!pairs) {
    return refuse_flag(flag, pairs.error().context, "not a pair of a name and a value",
                       fmt::format("NAME{0}VALUE,NAME{0}VALUE,...", separator));
  }
  into.node.kind = YamlNode::Kind::kMap;
  for (const FlagPair& pair : *pairs) {
    auto& entries = into.node.entries;
    const auto twin = std::find_if(entries.begin(), entries.end(),
                                   [&](const YamlEntry& e) { return e.key == pair.name; });
    if (twin != entries.end()) {
      into.repeated.push_back(pair.name);
      twin->value.text = pair.value;
    } else {
      entries.push_back({.key = pair.name, .line = 0, .value = scalar(pair.value, false)});
    }
  }
  return {};
}

Result<> add_list(const Flag& flag, const std::string& value, FlagValue& into) {
  const Result<std::vector<std::string>> items = split_list(value);
  if (!items) {
    return refuse_flag(flag, value, items.error().context, "NAME,NAME,...");
  }
  into.node.kind = YamlNode::Kind::kSequence;
  for (const std::string& item : *items) {
    into.node.items.push_back(scalar(item, false));
  }
  return {};
}

Result<> set_scalar(const Flag& flag, const std::string& value, FlagValue& into) {
  if (flag.syntax == Syntax::kTruth) {
    const std::optional<bool> truth = document::flag_truth(value);
    if (!truth) {
      return refuse_flag(flag, value, "expected a boolean", "true or false");
    }
    into.node = scalar(*truth ? "true" : "false", true);
  } else if (flag.syntax == Syntax::kInteger) {
    const std::optional<std::int64_t> number = document::whole_number(value);
    if (!number) {
      return refuse_flag(flag, value, "not a whole number", "a whole number");
    }
    into.node = scalar(std::to_string(*number), true);
  } else {
    into.node = scalar(value, false);
  }
  return {};
}

Result<> add_use(const Flag& flag, const std::string& value, FlagValue& into) {
  if (core::has_control_character(value) || core::find_invalid_utf8(value)) {
    return refuse_flag(flag, "", "bytes that are not printable UTF-8", "printable UTF-8 text");
  }
  switch (flag.syntax) {
    case Syntax::kLessPairs:
    case Syntax::kEqualPairs:
      return add_pairs(flag, value, into);
    case Syntax::kList:
      return add_list(flag, value, into);
    case Syntax::kDuration:
    case Syntax::kInteger:
    case Syntax::kTruth:
    case Syntax::kText:
      return set_scalar(flag, value, into);
  }
  return {};
}

}  // namespace

std::vector<std::string> kubelet_flag_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kFlags));
  for (const Flag& flag : kFlags) {
    names.emplace_back(flag.name);
  }
  return names;
}

std::string kubelet_flag_usage() {
  std::string usage = "The kubelet's flags, in its syntax:\n";
  for (const Flag& flag : kFlags) {
    usage += fmt::format("  {} {}\n      {}\n", flag.name, type_of(flag.syntax), flag.help);
  }
  return usage;
}

Result<FlagSplit> split_flags(std::span<const std::string> arguments) {
  FlagSplit split;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      split.rest.insert(split.rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                        arguments.end());
      break;
    }
    const std::size_t equals = argument.find('=');
    const Flag* flag = argument.starts_with("--") ? find_flag(argument.substr(0, equals)) : nullptr;
    if (flag == nullptr) {
      split.rest.push_back(argument);
    } else if (equals != std::string::npos) {
      split.flags.push_back({std::string(flag->name), argument.substr(equals + 1)});
    } else if (flag->syntax == Syntax::kTruth) {
      split.flags.push_back({std::string(flag->name), "true"});
    } else if (i + 1 < arguments.size()) {
      split.flags.push_back({std::string(flag->name), arguments[++i]});
    } else {
      return fail(Errc::kInvalid,
                  fmt::format("flag {}: no value; allowed: {}", flag->name, type_of(flag->syntax)));
    }
  }
  return split;
}

Result<std::vector<FlagValue>> read_flags(std::span<const GivenFlag> flags) {
  std::vector<FlagValue> values;
  for (const GivenFlag& given : flags) {
    const Flag* flag = find_flag(given.name);
    if (flag == nullptr) {
      return fail(Errc::kInvalid, fmt::format("flag {}: unknown", given.name));
    }
    auto value = std::find_if(values.begin(), values.end(),
                              [&](const FlagValue& v) { return v.name == flag->name; });
    if (value == values.end()) {
      values.push_back({.name = std::string(flag->name),
                        .key = std::string(flag->key),
                        .node = node_of(YamlNode::Kind::kNull),
                        .repeated = {}});
      value = values.end() - 1;
    }
    EVICTD_TRY(add_use(*flag, given.value, *value));
  }
  return values;
}

}  // namespace evictd::config
