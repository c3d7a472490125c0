// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evictd::probe {

/// What a hook is wanted for. Each has rows in attach_table.h, best first.
enum class Purpose : std::uint8_t {
  kMemoryCharge,   ///< notice growth of a memory cgroup while it happens
  kSweepTimer,     ///< compare again shortly before and between charges; keeps the rows fresh
  kNodeMemory,     ///< node-wide memory.available
  kNodeAvailable,  ///< the same where it follows the kernel's own estimate
  kTaskFork,       ///< notice growth of a pids counter
  kCgroups,        ///< pods appear, empty and disappear
  kStall,          ///< time lost to memory per pod
  kOom,            ///< the kernel killed before us
  kPerPageCharge,  ///< option perPageHook; off by default
};
constexpr std::size_t kPurposes = 9;

/// "memory-charge": the name used in the config (pins), in doctor and in status.
[[nodiscard]] std::string_view to_string(Purpose purpose);
/// The purpose of that name; nothing for a name that is none.
[[nodiscard]] std::optional<Purpose> purpose_of(std::string_view name);

/// One row of the ladder that was considered.
struct RowReport {
  /// Name of the row, unique within its purpose: "fentry", "kprobe", "tp_btf".
  std::string row;
  /// What it hooks: "fentry/page_counter_try_charge".
  std::string hook;
  bool chosen = false;
  /// Why it was not chosen: the last words of the verifier or of libbpf, "not tried: ...", or where
  /// nothing at all could be loaded Ladder::failure. Empty if it was chosen, or if one above it
  /// was.
  std::string reason;
};

/// How one purpose is served.
struct PurposeReport {
  Purpose purpose{};
  /// All rows in order; at most one is chosen.
  std::vector<RowReport> rows;
  /// What is lost against the first row, empty if nothing.
  std::string lost;
  /// The purpose is switched off by the options, so that no row was wanted. Something may be lost
  /// all the same.
  bool disabled = false;

  /// Name of the chosen row, empty if none.
  [[nodiscard]] std::string_view chosen() const;
};

/// Name of the fact without which evictd does not start.
inline constexpr std::string_view kMemoryControllerFact = "cgroup memory";

enum class Presence : std::uint8_t {
  kAbsent,
  kPresent,
  kUnknown,  ///< what would tell cannot be read
};

/// One line of facts about this machine.
struct Feature {
  std::string name;
  Presence presence = Presence::kUnknown;
  /// What follows when it is absent, why it is unknown, or a detail when it is there.
  std::string detail;
};

enum class SupportLevel {
  kFull,      ///< every wanted purpose is served, nothing named in `lost`, every privilege there
  kDegraded,  ///< something is lost, detection still comes from the kernel
  kPollOnly,  ///< nothing but polling
  kUnusable,  ///< there is no memory controller: evictd does not start
};

/// What evictd can do on this kernel with these privileges, and why not more.
struct Ladder {
  std::vector<PurposeReport> purposes;
  std::vector<Feature> kernel;
  std::vector<Feature> privileges;
  /// Set when nothing could be loaded at all: the reason.
  std::string failure;

  [[nodiscard]] SupportLevel level() const;
  /// Whether a hook in use notices that a memory threshold is crossed.
  [[nodiscard]] bool detects() const;
  /// Name of the row in use for `purpose`, empty if none. For status: "hooks in use".
  [[nodiscard]] std::string_view chosen(Purpose purpose) const;
};

}  // namespace evictd::probe
