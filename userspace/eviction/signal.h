// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eviction/compat.h"
#include "eviction/quantity.h"

namespace evictd::eviction {

/// The eviction signals. Where the kubelet leaves the order of action open, it is that of this
/// enum: memory, pids, disk.
enum class Signal : std::uint8_t {
  kAllocatableMemoryAvailable,
  kMemoryAvailable,
  kPidAvailable,
  kContainerFsAvailable,
  kContainerFsInodesFree,
  kImageFsAvailable,
  kImageFsInodesFree,
  kNodeFsAvailable,
  kNodeFsInodesFree,
  kUnknown,  ///< A name unknown to the kubelet: never observed, without a resource.
};

inline constexpr std::size_t kSignalCount = static_cast<std::size_t>(Signal::kUnknown);

/// All signals that can be observed.
inline constexpr std::array<Signal, kSignalCount> kSignals{
    Signal::kAllocatableMemoryAvailable, Signal::kMemoryAvailable,       Signal::kPidAvailable,
    Signal::kContainerFsAvailable,       Signal::kContainerFsInodesFree, Signal::kImageFsAvailable,
    Signal::kImageFsInodesFree,          Signal::kNodeFsAvailable,       Signal::kNodeFsInodesFree};

/// Scope of a signal's limit. Only killing a pod in this scope can bring the signal back above its
/// threshold.
enum class Scope : std::uint8_t {
  kNode,     ///< The whole machine: every pod counts.
  kPodRoot,  ///< The cgroup that holds all Kubernetes pods: only pods below it count.
};

/// The starved resource when a signal's threshold is met.
enum class Resource : std::uint8_t { kMemory, kEphemeralStorage, kInodes, kPids, kNone };

/// The node's conditions in the API.
enum class Condition : std::uint8_t { kDiskPressure, kMemoryPressure, kPidPressure };

inline constexpr std::array<Condition, 3> kConditions{
    Condition::kDiskPressure, Condition::kMemoryPressure, Condition::kPidPressure};

/// A set of conditions; iterate over kConditions and ask has().
class ConditionSet {
 public:
  constexpr void add(Condition condition) { bits_ |= bit(condition); }
  [[nodiscard]] constexpr bool has(Condition condition) const {
    return (bits_ & bit(condition)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const ConditionSet&) const = default;

 private:
  static constexpr std::uint8_t bit(Condition condition) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(condition));
  }
  std::uint8_t bits_ = 0;
};

/// "memory.available"; "unknown" for kUnknown.
[[nodiscard]] std::string_view to_string(Signal signal);
/// "memory", "ephemeral-storage", "inodes", "pids"; "" for kNone.
[[nodiscard]] std::string_view to_string(Resource resource);
/// "MemoryPressure", "DiskPressure", "PIDPressure".
[[nodiscard]] std::string_view to_string(Condition condition);

/// The signal with that name; kUnknown for a name that the kubelet of `compat` rejects. The
/// containerfs signals are newer than 1.26.
[[nodiscard]] Signal signal_from_text(std::string_view text, Compat compat);

[[nodiscard]] Resource resource_of(Signal signal);
/// Must not be called for kUnknown, which has none.
[[nodiscard]] Condition condition_of(Signal signal);
/// Format of a signal's values: bytes BinarySI, inodes and tasks DecimalSI.
[[nodiscard]] QuantityFormat format_of(Signal signal);
[[nodiscard]] constexpr bool is_disk(Signal signal) {
  return signal >= Signal::kContainerFsAvailable && signal <= Signal::kNodeFsInodesFree;
}
[[nodiscard]] constexpr bool is_memory(Signal signal) {
  return signal == Signal::kMemoryAvailable || signal == Signal::kAllocatableMemoryAvailable;
}
/// `pid_scope`: the scope of pid.available, from the configuration (pidAvailableSource).
[[nodiscard]] constexpr Scope scope_of(Signal signal, Scope pid_scope) {
  if (signal == Signal::kPidAvailable) {
    return pid_scope;
  }
  return signal == Signal::kAllocatableMemoryAvailable ? Scope::kPodRoot : Scope::kNode;
}
/// Whether killing a pod, or releasing what is left of it, frees anything under a limit of `scope`.
[[nodiscard]] constexpr bool frees_in(Scope scope, bool below_pod_root) {
  return scope == Scope::kNode || below_pod_root;
}

}  // namespace evictd::eviction
