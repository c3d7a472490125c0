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

/// Says one line of the story.
using Narrator = std::function<void(std::string_view)>;

/// Where a program of a demonstration is: beside evictctl, or in sbin where that has it.
[[nodiscard]] std::filesystem::path program_of(const DemoOptions& options, std::string_view name);

/// One demonstration: builds everything, lets the hog go, and gathers the evidence.
/// Destroying it removes everything, unless keep() was called. One thread uses it.
class Play {
 public:
  /// `signals` is a signalfd whose signals end the play early; borrowed.
  Play(const DemoOptions& options, Narrator say, int signals);

  /// Cgroups, pods at rest, the hog's rate alone, the limit, the daemon ready.
  Result<> set_up();
  /// Lets the hog go and waits until a pod has died and is freed, or for a minute.
  Result<Evidence> perform();
  /// Ends evictd as an operator does, so that what it writes is whole. Does nothing without one.
  void stop_daemon();
  /// Leaves cgroups and files, and says where; processes end all the same.
  void keep();
  /// Says which files of evictd's this play leaves, and what reads them.
  void tell_of_records() const;
  /// The private directory; set_up() has made it.
  [[nodiscard]] const std::filesystem::path& directory() const { return scratch_->path(); }
  /// True once one of the signals came.
  [[nodiscard]] bool interrupted() const { return signalled_within(Duration{0}); }

 private:
  struct Actor {
    stage::StagedPod pod;
    stage::LoadProcess load;
  };

  Result<> measure_unmanaged_rate();
  /// Of the scenarios on a disk, whose hog is held to that rate.
  Result<> measure_disk_rate();
  /// What a load does a second alone in the tree. Its pod and its files are gone afterwards.
  Result<double> rehearse(const stage::LoadOptions& load);
  Result<Actor> start_actor(const stage::PodSpec& spec, const stage::LoadOptions& load);
  Result<> write_manifest(const stage::StagedPod& pod) const;
  [[nodiscard]] stage::LoadOptions hog_load() const;
  Result<> start_bystanders();
  Result<> set_limit();
  Result<> make_disk();
  /// The directory of the pod's emptyDir, made where the kubelet would have it.
  [[nodiscard]] Result<std::filesystem::path> make_volume(const stage::StagedPod& pod);
  /// The same as a tmpfs.
  [[nodiscard]] Result<std::filesystem::path> mount_volume(const std::filesystem::path& path);
  /// The victim is dead and its files are charged to its cgroup: waits to see who else dies of
  /// that, and then unmounts them as a kubelet does.
  void watch_what_stays_charged();
  /// What the pod has on the disk.
  [[nodiscard]] std::filesystem::path files_of(const stage::StagedPod& pod) const;
  [[nodiscard]] Result<> remove_files(const stage::StagedPod& pod) const;
  [[nodiscard]] stage::LoadOptions disk_hog_load() const;
  [[nodiscard]] stage::LoadOptions bystander_load(const Bystander& bystander) const;
  Result<Evidence> perform_on_disk();
  void add_disk_crossing(Evidence& evidence, const stage::DiskTestimony& testimony) const;
  Result<> add_what_happened(Evidence& evidence, const std::string& victim);
  Result<> start_daemon();
  /// Waits for a process of a pod to end; the name of the pod, empty after the deadline.
  Result<std::string> await_first_death();
  /// Waits, unless one of the signals comes or has come: it is not taken from `signals_`.
  [[nodiscard]] bool signalled_within(Duration time) const;
  /// With its log, or where that stays.
  [[nodiscard]] Failure daemon_died() const;
  void announce_crossing();
  /// Says what has just happened, and how long after the crossing if both moments are known.
  void announce(const std::string& what, const std::optional<MonoTime>& at) const;
  /// After the witness was told of it, whom this would delay. Nothing for an empty name.
  void announce_death(const std::string& victim) const;
  /// By the hog's stamps and by what the witness has told so far, as crossing_of() says.
  [[nodiscard]] std::optional<MonoTime> crossing_seen_by(const Testimony& testimony) const;
  [[nodiscard]] std::optional<EvictionRecord> await_record(const std::string& uid);
  /// What evictd waited for before it chose a victim of a disk.
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
  /// What the hog does a second when nobody holds it back.
  double unmanaged_rate_ = 0;
  /// Usage, or tasks, of the pod root that are just not past the threshold.
  std::int64_t threshold_ = 0;
  /// How far below the threshold a batch may end after which the next one crosses it.
  std::int64_t reach_ = 0;
  bool announced_ = false;
};

}  // namespace evictd::demo
