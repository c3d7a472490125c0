// SPDX-License-Identifier: Apache-2.0
// The scenarios that use a filesystem of their own.
#include <chrono>
#include <cmath>
#include <string>
#include <system_error>

#include "demo/hog_rate.h"
#include "demo/play.h"
#include "evictd/try.h"

namespace evictd::demo {
namespace {

/// Bytes and files that the hog creates per second. It takes some seconds to the threshold, so that
/// the overshoot shows evictd's delay and not the hog's speed. Lower if the machine is too slow.
constexpr double kFillBytesPerSecond = 64 * 1024 * 1024;
constexpr double kFilesPerSecond = 8'000;
constexpr std::int64_t kDiskBatchBytes = 64 * 1024;

/// Enough to measure the machine's speed; an eighth of the way to the threshold.
constexpr std::int64_t kRehearsalBytes = 16 * 1024 * 1024;
constexpr std::int64_t kRehearsalFiles = 2'000;

/// Removing thousands of files takes longer than freeing memory.
constexpr std::chrono::seconds kDiskFreedPatience{20};

}  // namespace

Result<> Play::make_disk() {
  EVICTD_ASSIGN_OR_RETURN(
      disk_, stage::LoopFilesystem::create(
                 {.directory = scratch_->path(), .size = sizes_.disk, .inodes = sizes_.inodes}));
  EVICTD_ASSIGN_OR_RETURN(const stage::Fullness fullness, disk_->fullness());
  say_("private ext4 filesystem of " + std::to_string(fullness.available.value >> 20) +
       " MiB and " + std::to_string(fullness.inodes_free) + " inodes on a loop device");
  return {};
}

std::filesystem::path Play::files_of(const stage::StagedPod& pod) const {
  return (disk_ ? disk_->path() : scratch_->path()) / "kubelet" / "pods" / pod.uid;
}

Result<std::filesystem::path> Play::make_volume(const stage::StagedPod& pod) {
  const std::filesystem::path volume =
      files_of(pod) / "volumes" / "kubernetes.io~empty-dir" / stage::kEmptyDirName;
  if (tmpfs()) {
    return mount_volume(volume);
  }
  std::error_code failed;
  std::filesystem::create_directories(volume, failed);
  if (failed) {
    return fail_errno(failed.value(), "make " + volume.string());
  }
  return volume;
}

Result<> Play::remove_files(const stage::StagedPod& pod) const {
  std::error_code failed;
  std::filesystem::remove_all(files_of(pod), failed);
  if (failed) {
    return fail_errno(failed.value(), "remove " + files_of(pod).string());
  }
  return {};
}

Result<> Play::measure_disk_rate() {
  const bool inodes = options_.scenario == Scenario::kInodes;
  stage::LoadOptions load = disk_hog_load();
  load.rate = 0;
  load.cap = inodes ? kRehearsalFiles : kRehearsalBytes;
  EVICTD_ASSIGN_OR_RETURN(const double possible, rehearse(load));
  unmanaged_rate_ = rate_with_room(inodes ? kFilesPerSecond : kFillBytesPerSecond, possible);
  return {};
}

stage::LoadOptions Play::disk_hog_load() const {
  const bool inodes = options_.scenario == Scenario::kInodes;
  stage::LoadOptions load;
  load.binary = program_of(options_, "evict-load");
  load.directory = scratch_->path();
  load.ignore_sigterm = true;
  load.kind = inodes ? load::LoadKind::kInodes : load::LoadKind::kFileBytes;
  load.batch = inodes ? 1 : kDiskBatchBytes;
  load.rate = std::llround(unmanaged_rate_);
  // More than exists: the filesystem or evictd stops it.
  load.cap = inodes ? 2 * sizes_.inodes : 2 * sizes_.disk.value;
  return load;
}

stage::LoadOptions Play::bystander_load(const Bystander& bystander) const {
  stage::LoadOptions load;
  load.binary = program_of(options_, "evict-load");
  load.directory = scratch_->path();
  load.kind = on_disk() ? load::LoadKind::kFileBytes : load::LoadKind::kMemory;
  load.cap = bystander.holds.value;
  return load;
}

Result<Evidence> Play::perform_on_disk() {
  stage::Fullness threshold;
  if (options_.scenario == Scenario::kDisk) {
    threshold.available = sizes_.disk_headroom;
  } else if (options_.scenario == Scenario::kInodes) {
    threshold.inodes_free = sizes_.inodes_headroom;
  }
  EVICTD_ASSIGN_OR_RETURN(stage::DiskWitness witness,
                          stage::watch_disk({disk_->path(), threshold}));
  say_(script_.hog.name + " fills the disk and ignores SIGTERM");
  hog_->load.go();
  EVICTD_ASSIGN_OR_RETURN(const std::string victim, await_first_death());
  witness.hog_is_dead();
  announce_death(victim);
  const stage::DiskTestimony testimony =
      witness.finish(victim.empty() ? Duration{0} : Duration{kDiskFreedPatience});
  if (testimony.freed && victim == script_.hog.name) {
    announce("its space is back", testimony.freed);
  }
  Evidence evidence;
  evidence.freed = testimony.freed;
  evidence.headroom = sizes_.disk_headroom;
  add_disk_crossing(evidence, testimony);
  EVICTD_TRY(add_what_happened(evidence, victim));
  return evidence;
}

void Play::add_disk_crossing(Evidence& evidence, const stage::DiskTestimony& testimony) const {
  const load::StampLog& stamps = hog_->load.stamps();
  const std::optional<load::LoadStamp> last = stamps.last();
  evidence.crossing = testimony.crossing;
  evidence.rate = typical_rate(batches_of(stamps));
  switch (options_.scenario) {
    case Scenario::kDisk:
      evidence.bytes_per_second = evidence.rate;
      evidence.overshoot = sizes_.disk_headroom - testimony.lowest.available;
      return;
    case Scenario::kInodes:
      evidence.inodes_past = sizes_.inodes_headroom - testimony.lowest.inodes_free;
      return;
    case Scenario::kEmptyDir: {
      const auto limit = static_cast<std::uint64_t>(sizes_.empty_dir_limit.value);
      evidence.bytes_per_second = evidence.rate;
      const auto crossing =
          stamps.first_where([limit](const load::LoadStamp& stamp) { return stamp.total > limit; });
      if (crossing) {
        evidence.crossing = load::to_mono_time(crossing->end_ns);
        evidence.overshoot = Bytes{static_cast<std::int64_t>(last->total - limit)};
      }
      return;
    }
    case Scenario::kMemory:
    case Scenario::kSoft:
    case Scenario::kTmpfs:
    case Scenario::kPids:
      return;
  }
}

}  // namespace evictd::demo
