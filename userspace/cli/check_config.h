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
  /// One JSON object instead of text.
  bool json = false;
  /// Say only what is wrong, not the effective configuration.
  bool quiet = false;
  /// Looks at the node that the configuration is meant for; none leaves out what depends on one.
  std::function<Result<config::NodeFacts>(const config::Config&)> look_at_node;
  /// What attachPins may name; empty leaves the names unchecked.
  config::Vocabulary vocabulary;
};

/// `evictctl check-config`: judges files and flags as evictd would. Valid: the effective
/// configuration on `out`, warnings on `errors` (in JSON all on `out`). Not valid: the one error on
/// `errors` (in JSON {"error": ...} on `out`). With a node to look at, also warns of what cannot
/// work there, and prints what the hard thresholds reserve. Returns the exit status: 0 valid, with
/// warnings or without; 1 not valid or not readable.
[[nodiscard]] int check_config(const CheckConfigOptions& options, std::ostream& out,
                               std::ostream& errors);

}  // namespace evictd::cli
