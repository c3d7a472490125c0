// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "eviction/compat.h"
#include "eviction/threshold_table.h"

namespace evictd::daemon {

/// The rules of past passes, by the generation of the configuration. During a reload housekeeping
/// still gets passes of the old configuration, and their threshold indices are valid only in the
/// old table.
class PassRules {
 public:
  struct Rules {
    eviction::ThresholdTable thresholds;
    eviction::Compat compat = eviction::Compat::k1_32;
  };

  /// Adds the rules of passes of `generation`, which must be newer than all before.
  void use(std::uint64_t generation, Rules rules);

  /// Returns the rules of a pass's generation; those of the newest if that generation is not in
  /// use. At least one must be in use.
  [[nodiscard]] const Rules& of(std::uint64_t generation) const;

  /// Forgets generations before `generation`: passes arrive in the order in which they ran, so no
  /// earlier one follows.
  void forget_before(std::uint64_t generation);

 private:
  std::map<std::uint64_t, Rules> rules_;
};

}  // namespace evictd::daemon
