// SPDX-License-Identifier: Apache-2.0
// The kubelet's flags, in its own syntax.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/yaml_tree.h"

namespace evictd::config {

/// One use of a flag.
struct GivenFlag {
  /// With its dashes, as the kubelet spells it: "--eviction-hard".
  std::string name;
  std::string value;

  bool operator==(const GivenFlag&) const = default;
};

/// A command line taken apart.
struct FlagSplit {
  std::vector<GivenFlag> flags;
  /// All other arguments in their order.
  std::vector<std::string> rest;
};

/// Of each flag, with its dashes.
[[nodiscard]] std::vector<std::string> kubelet_flag_names();

/// What --help says of them, two lines a flag.
[[nodiscard]] std::string kubelet_flag_usage();

/// Takes the kubelet's flags out of a command line: "--flag=value", "--flag value", with '_' for
/// '-' too; a flag for a truth value needs no value and never takes the next argument. What comes
/// after "--" is left alone.
/// Errors: kInvalid for a flag without its value.
[[nodiscard]] Result<FlagSplit> split_flags(std::span<const std::string> arguments);

/// What all uses of one flag together say.
struct FlagValue {
  /// "--eviction-hard"
  std::string name;
  /// The key or the field of the kubelet's file that it sets.
  std::string key;
  /// As a file would have it; every line is 0.
  YamlNode node;
  /// Entries that were given more than once, the last of which holds.
  std::vector<std::string> repeated;
};

/// Reads flags, each known, in the order in which they are first used. Repeated ones as the kubelet
/// has it: pairs and lists are joined, a later pair wins over an earlier of the same name, and of
/// all else the last holds. Errors: kInvalid, "flag NAME: KEY: VALUE: what is wrong; allowed: ...",
/// for text that is not in the syntax of its flag. Whether the values are allowed is for their keys
/// to say.
[[nodiscard]] Result<std::vector<FlagValue>> read_flags(std::span<const GivenFlag> flags);

}  // namespace evictd::config
