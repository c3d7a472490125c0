// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log_options.h"
#include "config/brake_settings.h"
#include "config/eviction_settings.h"
#include "config/node_allocatable_settings.h"
#include "config/notice_settings.h"
#include "config/storage_settings.h"
#include "evictd/bytes.h"
#include "evictd/time.h"
#include "eviction/compat.h"
#include "eviction/observation.h"

namespace evictd::config {

/// How evictd notices crossings. kAuto uses BPF if a row of the attach ladder loads, else polling.
enum class EventSource { kAuto, kBpf, kPoll };

/// The cgroup driver that named the pod cgroups. kAuto accepts the names of both drivers.
enum class CgroupDriver { kAuto, kCgroupfs, kSystemd };

/// The capacity of pid.available: the node's limits, or pids.max of the pod root.
enum class PidAvailableSource { kNode, kPodRoot };

/// How the time until a victim of memory ends is bridged: kMemoryHigh lowers its memory.high.
enum class GraceBridge { kOff, kMemoryHigh };

/// Treats every cgroup that matches `glob` as a pod; for use outside Kubernetes.
struct PodGlob {
  /// Matches the whole path within the memory hierarchy, component by component: '*' and '?' never
  /// match a '/'. There are no other patterns: '[' is refused, a backslash is literal.
  std::string glob;
  /// Displayed instead of the path; empty for none.
  std::string name;
  std::int32_t priority = 0;
  /// Unset: BestEffort. Set: Burstable with this request.
  std::optional<Bytes> memory_request;

  bool operator==(const PodGlob&) const = default;
};

struct RealtimeSettings {
  bool enabled = true;
  /// SCHED_FIFO priority of the hot thread, 1 to 99.
  int priority = 10;
  /// Soft RLIMIT_RTTIME: the kernel demotes a hot thread that runs this long without blocking to
  /// ordinary priority.
  Duration limit = std::chrono::milliseconds(200);

  bool operator==(const RealtimeSettings&) const = default;
};

/// Where evictd writes decisions and events, besides memory; docs/records.md.
struct RecordSettings {
  /// Empty: in memory only.
  std::string file;
  /// A file that would grow beyond this is rotated.
  Bytes max_bytes = 16_MiB;
  /// Maximum number of files, including the one being written.
  int files = 4;

  bool operator==(const RecordSettings&) const = default;
};

/// Deliberate faults, for tests.
struct FaultSettings {
  /// evictd counts events of the kernel side and drops them; decisions come from polling alone.
  bool drop_kernel_events = false;

  bool operator==(const FaultSettings&) const = default;
};

/// Every setting of evictd with its default. docs/configuration.md has the keys, units, allowed
/// values and what a reload may change. The defaults of `eviction.hard` depend on the
/// compatibility; config::parse() fills them in.
struct Settings {
  /// The kubelet version whose rules and defaults evictd follows.
  eviction::Compat compatibility = eviction::Compat::k1_32;
  EvictionSettings eviction;
  NodeAllocatableSettings node_allocatable;
  HardEvictionSettings hard_eviction;
  GraceBridge grace_bridge = GraceBridge::kOff;
  BrakeSettings brakes;
  InKernelBrakeSettings in_kernel_brake;
  bool dry_run = false;
  bool evict_unknown_pods = false;
  PidAvailableSource pid_available_source = PidAvailableSource::kNode;
  eviction::MemoryRules memory;

  EventSource event_source = EventSource::kAuto;
  Duration poll_interval = std::chrono::seconds(10);
  AdaptivePolling adaptive_polling;
  bool per_page_hook = false;
  /// Maps a purpose to the only row of the attach ladder that may serve it, or to "none".
  std::map<std::string, std::string> attach_pins;
  SweepSettings sweep;
  HysteresisSettings hysteresis;
  StallSettings stall;
  /// BTF of the running kernel if it is not in /sys/kernel/btf/vmlinux; empty for that file.
  std::string custom_btf_path;

  /// The kubelet's --cgroup-root: the parent cgroup of kubepods, "/" for the root.
  std::string cgroup_root = "/";
  CgroupDriver cgroup_driver = CgroupDriver::kAuto;
  std::vector<std::string> manifest_directories;
  std::vector<std::string> static_manifest_directories;
  std::vector<PodGlob> pod_globs;
  /// The node name in records; empty: the host name in lower case.
  std::string node_name;
  StorageSettings storage;

  RealtimeSettings realtime;
  bool lock_memory = true;
  bool watchdog = true;
  std::string runtime_directory = "/run/evictd";
  /// Empty: control.sock in `runtime_directory`.
  std::string control_socket;
  /// Socket that serves registrations of notifications; empty: none.
  std::string notify_socket;
  /// Empty: state in `runtime_directory`; "none": evictd keeps no state.
  std::string state_file;
  base::LogOptions log;
  RecordSettings records;
  FaultSettings faults;

  /// Path of the control socket: `control_socket`, or its default.
  [[nodiscard]] std::string control_socket_path() const;
  /// Path of the state that survives a restart: `state_file`, or its default; empty for none.
  [[nodiscard]] std::string state_file_path() const;
  /// The mode of `in_kernel_brake`, or its default: a backstop if a hard grace period of 0 is given
  /// and there is a kernel side, otherwise off.
  [[nodiscard]] InKernelBrake in_kernel_brake_mode() const;

  bool operator==(const Settings&) const = default;
};

}  // namespace evictd::config
