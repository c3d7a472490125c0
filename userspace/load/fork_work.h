// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "load/run.h"

namespace evictd::load {

/// Children that do nothing but sleep. A fork that the kernel refuses because of a limit is tried
/// again; the children outlive this process, as those of a real fork bomb do.
class ForkWork final : public Work {
 public:
  Result<> prepare() override { return {}; }
  /// `units`: children. Errors: those of fork(2) but EAGAIN, which is 0 done.
  Result<std::uint64_t> add(std::uint64_t units) override;
};

}  // namespace evictd::load
