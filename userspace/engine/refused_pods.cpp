// SPDX-License-Identifier: Apache-2.0
#include "engine/refused_pods.h"

#include <algorithm>

namespace evictd::engine {

void RefusedPods::add(const PodView& pod) {
  std::optional<CgroupId>& refused = by_slot_[pod.slot];
  if (!refused) {
    ++count_;
  }
  refused = pod.id;
}

bool RefusedPods::has(const PodView& pod) const {
  // As a rule there is none: then no pod's place is loaded.
  return count_ != 0 && by_slot_[pod.slot] == pod.id;
}

void RefusedPods::forget(const PodView& pod) {
  if (has(pod)) {
    by_slot_[pod.slot].reset();
    --count_;
  }
}

void RefusedPods::add_slots(std::vector<std::uint32_t>& slots) const {
  const auto known = static_cast<std::ptrdiff_t>(slots.size());
  for (std::uint32_t slot = 0; slot < by_slot_.size(); ++slot) {
    if (by_slot_[slot] &&
        std::find(slots.begin(), slots.begin() + known, slot) == slots.begin() + known) {
      slots.push_back(slot);
    }
  }
}

RefusedPods::PutOff* RefusedPods::find_put_off(CgroupId pod) {
  const std::span<PutOff> all = put_off_now();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PutOff& one) { return one.pod == pod; });
  return found == all.end() ? nullptr : &*found;
}

RefusedPods::Try RefusedPods::put_off(const PodView& pod, MonoTime now) {
  PutOff* known = find_put_off(pod.id);
  const bool first = known == nullptr || (!known->given_up && now - known->last_at > kTryPause);
  if (known == nullptr) {
    if (put_off_count_ == put_off_.size()) {
      return Try::kLast;
    }
    known = &put_off_[put_off_count_++];
  }
  if (first) {
    *known = {.pod = pod.id,
              .first_at = now,
              .last_at = now,
              .given_up = false,
              .again_at = std::nullopt};
  }
  known->last_at = now;
  if (now - known->first_at >= kLeastTimeToEnd) {
    known->given_up = true;
    known->again_at.reset();
    return Try::kLast;
  }
  known->again_at = now + kTryAgain;
  return first ? Try::kFirst : Try::kAgain;
}

void RefusedPods::stop_putting_off(const PodView& pod) {
  stop_waiting(pod);
  if (PutOff* const known = find_put_off(pod.id)) {
    *known = put_off_[--put_off_count_];
  }
}

void RefusedPods::forget_all(const PodView& pod) {
  forget(pod);
  stop_putting_off(pod);
}

RefusedPods::Wait RefusedPods::wait(const PodView& pod) {
  std::optional<CgroupId>& waiting = waiting_[pod.slot];
  if (waiting == pod.id) {
    return Wait::kKnown;
  }
  waiting_count_ += waiting ? 0 : 1;
  waiting = pod.id;
  return waiting_count_ == 1 ? Wait::kFirst : Wait::kNew;
}

void RefusedPods::stop_waiting(const PodView& pod) {
  std::optional<CgroupId>& waiting = waiting_[pod.slot];
  if (waiting == pod.id) {
    waiting.reset();
    --waiting_count_;
  }
}

void RefusedPods::end_waiting() {
  if (waiting_count_ != 0) {
    std::fill(waiting_.begin(), waiting_.end(), std::nullopt);
    waiting_count_ = 0;
  }
}

std::optional<MonoTime> RefusedPods::next_try() const {
  std::optional<MonoTime> next;
  for (const PutOff& one : std::span(put_off_).first(put_off_count_)) {
    if (one.again_at && (!next || *one.again_at < *next)) {
      next = one.again_at;
    }
  }
  return next;
}

bool RefusedPods::take_try(MonoTime now) {
  bool due = false;
  for (PutOff& one : put_off_now()) {
    if (one.again_at && *one.again_at <= now) {
      one.again_at.reset();
      due = true;
    }
  }
  return due;
}

}  // namespace evictd::engine
