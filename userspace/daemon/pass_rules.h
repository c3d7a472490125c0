// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "eviction/compat.h"
#include "eviction/threshold_table.h"

namespace evictd::daemon {

/// What passes were run with, by the generation of the configuration: while a reload is under way,
/// housekeeping is still told of passes that know nothing of it, and the places of their thresholds
/// mean something in the old table only.
class PassRules {
 public:
  struct Rules {
    eviction::ThresholdTable thresholds;
    eviction::Compat compat = eviction::Compat::k1_32;
  };

  /// `rules` are those of passes of `generation`, which is newer than all before.
  void use(std::uint64_t generation, Rules rules);

  /// Those of a pass. At least one generation must be in use; of one that is not, those of the
  /// newest are meant.
  [[nodiscard]] const Rules& of(std::uint64_t generation) const;

  /// No pass before `generation` will be told of any more: they come in the order in which they
  /// ran.
  void forget_before(std::uint64_t generation);

 private:
  std::map<std::uint64_t, Rules> rules_;
};

}  // namespace evictd::daemon
