// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demo/demo.h"
#include "demo/script.h"
#include "demo/verdict.h"
#include "demo/witness.h"
#include "evictd/result.h"
#include "stage/daemon_process.h"
#include "stage/disk_witness.h"
#include "stage/load_process.h"
#include "stage/loop_filesystem.h"
#include "stage/memory_filesystem.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::demo {

/// Prints one line of the story.
using Narrator = std::function<void(std::string_view)>;

/// The path of a program: beside evictctl, or in sbin if it is there.
[[nodiscard]] std::filesystem::path program_of(const DemoOptions& options, std::string_view name);

/// One demonstration: sets up everything, starts the hog, and collects the evidence. The destructor
/// removes everything unless keep() was called. One thread uses it.
class Play {
 public:
  /// `signals` is a signalfd whose signals end the play early; borrowed.
  Play(const DemoOptions& options, Narrator say, int signals);

  /// Creates cgroups and bystanders, measures the hog's rate alone, sets the limit, and starts the
  /// daemon.
  Result<> set_up();
  /// Starts the hog and waits until a pod has died and is freed, at most a minute.
  Result<Evidence> perform();
  /// Stops evictd as an operator does, so that its files are complete. Does nothing without an
  /// evictd.
  void stop_daemon();
  /// Leaves cgroups and files in place and prints where; processes end nevertheless.
  void keep();
  /// Prints which of evictd's files this play leaves, and which commands read them.
  void print_record_files() const;
  /// The private directory that set_up() has created.
  [[nodiscard]] const std::filesystem::path& directory() const { return scratch_->path(); }
  /// True once one of the signals came.
  [[nodiscard]] bool interrupted() const { return signalled_within(Duration{0}); }

 private:
  struct Actor {
    stage::StagedPod pod;
    stage::LoadProcess load;
  };

  Result<> measure_unmanaged_rate();
  /// In disk scenarios; the hog is limited to that rate.
  Result<> measure_disk_rate();
  /// Units per second of a load that runs alone in the tree. Removes its pod and files afterwards.
  Result<double> rehearse(const stage::LoadOptions& load);
  Result<Actor> start_actor(const stage::PodSpec& spec, const stage::LoadOptions& load);
  Result<> write_manifest(const stage::StagedPod& pod) const;
  [[nodiscard]] stage::LoadOptions hog_load() const;
  Result<> start_bystanders();
  Result<> set_limit();
  Result<> make_disk();
  /// Creates the directory of the pod's emptyDir where the kubelet would have it.
  [[nodiscard]] Result<std::filesystem::path> make_volume(const stage::StagedPod& pod);
  /// The same as a tmpfs.
  [[nodiscard]] Result<std::filesystem::path> mount_volume(const std::filesystem::path& path);
  /// After the victim's death its files stay charged to its cgroup: waits to see whether other pods
  /// die because of them, and then unmounts them as a kubelet does.
  void watch_what_stays_charged();
  /// The pod's files on the disk.
  [[nodiscard]] std::filesystem::path files_of(const stage::StagedPod& pod) const;
  [[nodiscard]] Result<> remove_files(const stage::StagedPod& pod) const;
  [[nodiscard]] stage::LoadOptions disk_hog_load() const;
  [[nodiscard]] stage::LoadOptions bystander_load(const Bystander& bystander) const;
  Result<Evidence> perform_on_disk();
  void add_disk_crossing(Evidence& evidence, const stage::DiskTestimony& testimony) const;
  Result<> add_what_happened(Evidence& evidence, const std::string& victim);
  Result<> start_daemon();
  /// Waits for a process of a pod to exit; returns the pod's name, empty after the deadline.
  Result<std::string> await_first_death();
  /// Waits for `time`; returns early if one of the signals is pending, without reading it from
  /// `signals_`.
  [[nodiscard]] bool signalled_within(Duration time) const;
  /// With the end of its log, or the path of the log.
  [[nodiscard]] Failure daemon_died() const;
  void announce_crossing();
  /// Prints what has just happened, and how long after the crossing if both moments are known.
  void announce(const std::string& what, const std::optional<MonoTime>& at) const;
  /// Called after the witness was notified, because printing would delay it. Does nothing for an
  /// empty name.
  void announce_death(const std::string& victim) const;
  /// From the hog's stamps and the witness's observations so far, according to crossing_of().
  [[nodiscard]] std::optional<MonoTime> crossing_seen_by(const Testimony& testimony) const;
  [[nodiscard]] std::optional<EvictionRecord> await_record(const std::string& uid);
  /// Adds what evictd waited for before it chose a victim for a disk.
  void add_hold(EvictionRecord& record) const;
  void add_crossing(Evidence& evidence, const Testimony& testimony) const;
  [[nodiscard]] std::int64_t grace_seconds() const;
  [[nodiscard]] bool on_disk() const { return is_on_disk(options_.scenario); }
  [[nodiscard]] bool tmpfs() const { return options_.scenario == Scenario::kTmpfs; }
  [[nodiscard]] bool pids() const { return options_.scenario == Scenario::kPids; }

  DemoOptions options_;
  Narrator say_;
  int signals_;
  Script script_;
  Sizes sizes_;
  std::optional<stage::ScratchDirectory> scratch_;
  std::optional<stage::LoopFilesystem> disk_;
  /// Of the one pod that has a tmpfs.
  std::optional<stage::MemoryFilesystem> volume_;
  std::optional<stage::PrivateTree> tree_;
  std::vector<Actor> bystanders_;
  std::optional<Actor> hog_;
  std::optional<stage::DaemonProcess> daemon_;
  /// Units per second of the hog without a brake.
  double unmanaged_rate_ = 0;
  /// The highest usage, or tasks, of the pod root that is not past the threshold.
  std::int64_t threshold_ = 0;
  /// How far below the threshold a batch may end if the next one can cross it.
  std::int64_t reach_ = 0;
  bool announced_ = false;
};

}  // namespace evictd::demo
