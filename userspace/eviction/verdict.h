// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "evictd/time.h"
#include "eviction/decision.h"

namespace evictd::eviction {

/// What one step of a pass says about the threshold that it judges. Steps return it and write
/// nothing into the decision: EvictionManager::settle() does, for all of them.
class [[nodiscard]] Verdict {
 public:
  enum class Kind : std::uint8_t {
    kProceed,   ///< Nothing speaks against an eviction: the next step judges.
    kHold,      ///< Nobody is evicted for this threshold in this pass.
    kEscalate,  ///< A victim in its grace period loses what is left of it.
  };

  [[nodiscard]] static Verdict proceed() { return {}; }
  /// As proceed(), although `brake` is on: too little is left to wait for it.
  [[nodiscard]] static Verdict proceed_despite(Reason brake) {
    Verdict verdict;
    verdict.reason_ = brake;
    return verdict;
  }
  /// `until`: when the pass must look again although nothing else happens; unset if an event tells.
  [[nodiscard]] static Verdict hold(Reason reason, std::optional<MonoTime> until = std::nullopt) {
    Verdict verdict;
    verdict.kind_ = Kind::kHold;
    verdict.reason_ = reason;
    verdict.until_ = until;
    return verdict;
  }
  /// `victim` is a place in PassInput::pods.
  [[nodiscard]] static Verdict escalate(std::size_t victim) {
    Verdict verdict;
    verdict.kind_ = Kind::kEscalate;
    verdict.victim_ = victim;
    return verdict;
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool proceeds() const { return kind_ == Kind::kProceed; }
  /// Why it holds, or which brake it overrules; kNone for neither.
  [[nodiscard]] Reason reason() const { return reason_; }
  [[nodiscard]] const std::optional<MonoTime>& until() const { return until_; }
  /// Of kEscalate only.
  [[nodiscard]] std::size_t victim() const { return victim_; }

 private:
  Kind kind_ = Kind::kProceed;
  Reason reason_ = Reason::kNone;
  std::optional<MonoTime> until_;
  std::size_t victim_ = 0;
};

}  // namespace evictd::eviction
