// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "load/run.h"

namespace evictd::load {

/// Children that only sleep. A fork that a limit refuses is retried. The children outlive this
/// process, as those of a real fork bomb do.
class ForkWork final : public Work {
 public:
  Result<> prepare() override { return {}; }
  /// `units`: children. Errors: those of fork(2), except EAGAIN, which returns 0.
  Result<std::uint64_t> add(std::uint64_t units) override;
};

}  // namespace evictd::load
