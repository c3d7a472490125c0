// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "probe/probe.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Who is to be killed, and when.
struct BrakePlan {
  const stage::PrivateTree& tree;
  const stage::StagedPod& victim;
  /// A process of the victim.
  pid_t process = 0;
  /// The pod that the victim is compared with.
  const stage::StagedPod& rival;
  /// Working set of the pod root that is past the threshold.
  Bytes level;
};

/// evictd's kernel side, with a threshold and a plan to kill that stays armed. evictd itself arms
/// one for 3 ms at most, ten times a second: too seldom for a median. The destructor removes it.
class ArmedBrake {
 public:
  /// Errors: kUnsupported if no hook of this kernel can kill; those of loading, and of cgroups.
  static Result<ArmedBrake> arm(const BrakePlan& plan);

 private:
  explicit ArmedBrake(std::unique_ptr<probe::Probe> probe) : probe_(std::move(probe)) {}

  std::unique_ptr<probe::Probe> probe_;
};

}  // namespace evictd::bench
