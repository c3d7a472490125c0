// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "config/sources.h"

namespace evictd::cli {

struct CheckConfigOptions {
  config::Sources sources;
  /// One JSON object instead of text.
  bool json = false;
  /// Say only what is wrong, not the effective configuration.
  bool quiet = false;
  /// What attachPins may name; empty leaves the names unchecked.
  config::Vocabulary vocabulary;
};

/// `evictctl check-config`: judges files and flags as evictd would. Valid: the effective
/// configuration on `out`, warnings on `errors` (in JSON all on `out`). Not valid: the one error on
/// `errors` (in JSON {"error": ...} on `out`). Returns the exit status: 0 valid, with warnings or
/// without; 1 not valid or not readable.
[[nodiscard]] int check_config(const CheckConfigOptions& options, std::ostream& out,
                               std::ostream& errors);

}  // namespace evictd::cli
