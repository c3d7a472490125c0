// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "config/node_facts.h"
#include "config/sources.h"

namespace evictd::cli {

struct CheckConfigOptions {
  config::Sources sources;
  /// Prints one JSON object instead of text.
  bool json = false;
  /// Prints only problems, not the effective configuration.
  bool quiet = false;
  /// Reads the facts of the node that the configuration is for; if unset, checks that need a node
  /// are omitted.
  std::function<Result<config::NodeFacts>(const config::Config&)> look_at_node;
  /// Names that attachPins may have; empty disables the check.
  config::Vocabulary vocabulary;
};

/// `evictctl check-config`: checks files and flags as evictd would. If valid: prints the effective
/// configuration to `out` and warnings to `errors` (with JSON everything to `out`). If not: prints
/// the one error to `errors` (with JSON {"error": ...} to `out`). With a node it also warns of
/// settings that cannot work there, and prints what the hard thresholds reserve. Returns the exit
/// status: 0 valid, with or without warnings; 1 invalid or unreadable.
[[nodiscard]] int check_config(const CheckConfigOptions& options, std::ostream& out,
                               std::ostream& errors);

}  // namespace evictd::cli
