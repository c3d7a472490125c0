// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evictd::probe {

/// Purpose of a hook. Each has rows in attach_table.h, best first.
enum class Purpose : std::uint8_t {
  kMemoryCharge,   ///< notice growth of a memory cgroup as it happens
  kSweepTimer,     ///< compare again shortly before and between charges; refresh the rows
  kNodeMemory,     ///< node-wide memory.available
  kNodeAvailable,  ///< the same by the kernel's own estimate
  kTaskFork,       ///< notice growth of a pids counter
  kCgroups,        ///< pods appear, become empty and disappear
  kStall,          ///< memory stall time per pod
  kOom,            ///< kills by the kernel's OOM killer
  kPerPageCharge,  ///< option perPageHook; off by default
  kBackstop,       ///< option inKernelBrake: kill by a plan, without user space
};
constexpr std::size_t kPurposes = 10;

/// "memory-charge": the name used in the config (pins), in doctor and in status.
[[nodiscard]] std::string_view to_string(Purpose purpose);
/// The purpose with that name; nullopt for an unknown name.
[[nodiscard]] std::optional<Purpose> purpose_of(std::string_view name);

/// One considered row of the ladder.
struct RowReport {
  /// Name of the row, unique within its purpose: "fentry", "kprobe", "tp_btf".
  std::string row;
  /// What it hooks: "fentry/page_counter_try_charge".
  std::string hook;
  bool chosen = false;
  /// Why it was not chosen: the last message of the verifier or of libbpf, "not tried: ...", or
  /// Ladder::failure if nothing could be loaded. Empty if this row or one above it was chosen.
  std::string reason;
};

/// How one purpose is served.
struct PurposeReport {
  Purpose purpose{};
  /// All rows in order; at most one is chosen.
  std::vector<RowReport> rows;
  /// What is lost compared with the first row; empty if nothing.
  std::string lost;
  /// The options switch the purpose off, so that no row was tried. `lost` may still be set.
  bool disabled = false;
  /// It is on by default: nothing is lost where no row serves it.
  bool by_default = false;

  /// Name of the chosen row, empty if none.
  [[nodiscard]] std::string_view chosen() const;
  /// Whether it is asked for, and no row serves it.
  [[nodiscard]] bool is_missing() const { return !disabled && !by_default && chosen().empty(); }
};

/// Name of the feature that evictd needs to start.
inline constexpr std::string_view kMemoryControllerFact = "cgroup memory";

enum class Presence : std::uint8_t {
  kAbsent,
  kPresent,
  kUnknown,  ///< its source cannot be read
};

/// One feature of this machine.
struct Feature {
  std::string name;
  Presence presence = Presence::kUnknown;
  /// The consequence if absent, the cause if unknown, or a detail if present.
  std::string detail;
};

enum class SupportLevel {
  kFull,      ///< every wanted purpose is served without losses, every privilege is present
  kDegraded,  ///< something is lost, but detection still uses kernel events
  kPollOnly,  ///< only polling
  kUnusable,  ///< no memory controller: evictd does not start
};

/// What evictd can use on this kernel with these privileges, and why not more.
struct Ladder {
  std::vector<PurposeReport> purposes;
  std::vector<Feature> kernel;
  std::vector<Feature> privileges;
  /// Why nothing could be loaded at all; empty otherwise.
  std::string failure;

  [[nodiscard]] SupportLevel level() const;
  /// Whether a hook in use notices crossings of memory thresholds.
  [[nodiscard]] bool detects() const;
  /// Name of the row in use for `purpose`, empty if none. For status: "hooks in use".
  [[nodiscard]] std::string_view chosen(Purpose purpose) const;
};

}  // namespace evictd::probe
