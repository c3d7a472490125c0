// SPDX-License-Identifier: Apache-2.0
// What the kernel side may do alone if user space does not get the CPU.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tl/expected.hpp>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/contender.h"
#include "eviction/manager.h"
#include "eviction/pass.h"
#include "eviction/signal.h"

namespace evictd::engine {

/// A plan is armed for this long at most. An approach is a threshold within 1 ms.
inline constexpr Duration kBackstopLasts = std::chrono::milliseconds(3);

/// The kernel side fires only this little past its level. Whoever finds more has come late: the
/// pass decides.
inline constexpr Bytes kBackstopReach = 16_MiB;

/// A pod that the victim is compared with.
struct BackstopRival {
  /// Place in ReadingsTaken::pods.
  std::size_t pod = 0;
  eviction::Contender terms;
};

/// One kill that the kernel side may do alone. It does so only if everything here still holds when
/// the level is reached; then a full pass at that instant would kill the same pod at once.
struct BackstopPlan {
  static constexpr std::size_t kMostRivals = 8;

  /// Place in the ThresholdTable.
  std::size_t threshold = 0;
  /// It fires while the signal's available value is between the two, both included.
  std::int64_t least_available = 0;
  std::int64_t most_available = 0;
  /// It fires only while that value falls at least so fast, in units a second. 0: at any rate.
  std::int64_t least_rate = 0;
  /// Place in ReadingsTaken::pods.
  std::size_t victim = 0;
  eviction::Contender victim_terms;
  /// It fires only while the victim's working set is at least this. Below, a pod that is not among
  /// the rivals might go first.
  std::int64_t least_working_set = 0;
  /// All pods that could go before the victim until the plan expires.
  std::array<BackstopRival, kMostRivals> rivals{};
  std::size_t rival_count = 0;
  MonoTime expires_at{};

  [[nodiscard]] std::span<const BackstopRival> compared() const {
    return std::span(rivals).first(rival_count);
  }
};

/// Why there is no plan.
enum class NoBackstop : std::uint8_t {
  kDryRun,
  kVictims,         ///< An earlier victim may still free something, or is tried again.
  kPodsUnknown,     ///< The list of pods may be incomplete, or a pod was not read.
  kPassActs,        ///< The pass itself acts, holds or waits.
  kNothingAhead,    ///< No hard memory threshold of the approached scope is ahead.
  kOtherThreshold,  ///< A threshold that goes first may be met by then.
  kNoKill,          ///< A pass at that level would hold, or give a grace period.
  kManyRivals,      ///< More than kMostRivals pods could overtake the victim.
};
inline constexpr std::size_t kNoBackstops = 8;

/// "dry_run", "victims", "pods_unknown", "pass_acts", "nothing_ahead", "other_threshold",
/// "no_kill", "many_rivals".
[[nodiscard]] std::string_view to_string(NoBackstop why);

/// A rehearsal that found nothing to do, as the base of a plan.
struct BackstopQuestion {
  /// Only asked; not changed.
  eviction::EvictionManager* manager = nullptr;
  /// Input of the rehearsal, and the readings behind it, parallel to its pods.
  eviction::PassInput input;
  std::span<const CgroupUsage> usages;
  /// Scope of the limit that is near.
  eviction::Scope scope = eviction::Scope::kNode;
  /// How far past the threshold the kernel side fires.
  Bytes margin{0};
  /// No pod can grow faster. Bytes a second; 0: unknown.
  Bytes growth{0};
  MonoTime now{};
  /// When user space acts without an event.
  MonoTime until{};
};

/// Asks the pass what it would decide just past the nearest threshold. Cost: two passes.
[[nodiscard]] tl::expected<BackstopPlan, NoBackstop> plan_backstop(
    const BackstopQuestion& question);

}  // namespace evictd::engine
