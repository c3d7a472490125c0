// SPDX-License-Identifier: Apache-2.0
#include "engine/pod_scans.h"

namespace evictd::engine {

PodScans::Step PodScans::next_step(MonoTime turn, MonoTime now) {
  if (answered_in_ == turn) {
    return Step::kGoOn;
  }
  if (asked_ > answered_) {
    return waits(now) ? Step::kWait : Step::kGiveUp;
  }
  ++asked_;
  give_up_at_ = now + kScanPatience;
  return Step::kAsk;
}

void PodScans::answered(std::uint64_t round, MonoTime turn) {
  answered_ = round;
  answered_in_ = turn;
  if (lost_after_ && round > *lost_after_) {
    lost_after_.reset();
  }
}

}  // namespace evictd::engine
