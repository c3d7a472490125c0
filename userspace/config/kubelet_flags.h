// SPDX-License-Identifier: Apache-2.0
// The kubelet's flags, in its own syntax.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/yaml_tree.h"

namespace evictd::config {

/// One use of a flag on the command line.
struct GivenFlag {
  /// With its dashes, as the kubelet spells it: "--eviction-hard".
  std::string name;
  std::string value;

  bool operator==(const GivenFlag&) const = default;
};

/// A command line split into kubelet flags and the rest.
struct FlagSplit {
  std::vector<GivenFlag> flags;
  /// All other arguments, in their order.
  std::vector<std::string> rest;
};

/// All flag names, with their dashes.
[[nodiscard]] std::vector<std::string> kubelet_flag_names();

/// The flags' part of --help, two lines per flag.
[[nodiscard]] std::string kubelet_flag_usage();

/// Takes the kubelet's flags out of a command line: "--flag=value" or "--flag value", with '_'
/// accepted for '-'. A boolean flag needs no value and never takes the next argument. Arguments
/// after "--" are left alone. Errors: kInvalid for a flag without its value.
[[nodiscard]] Result<FlagSplit> split_flags(std::span<const std::string> arguments);

/// The combined value of all uses of one flag.
struct FlagValue {
  /// "--eviction-hard"
  std::string name;
  /// The key or kubelet field that the flag sets.
  std::string key;
  /// As a file would have it; every line is 0.
  YamlNode node;
  /// Entries given more than once; the last one counts.
  std::vector<std::string> repeated;
};

/// Reads known flags, in the order of their first use. Handles repeated flags as the kubelet does.
/// Pairs and lists are joined, and a later pair overrides an earlier one of the same name. For any
/// other flag the last use counts. Errors: kInvalid, "flag NAME: KEY: VALUE: what is wrong;
/// allowed: ...", for text outside the flag's syntax. The keys check whether the values are
/// allowed.
[[nodiscard]] Result<std::vector<FlagValue>> read_flags(std::span<const GivenFlag> flags);

}  // namespace evictd::config
