// SPDX-License-Identifier: Apache-2.0
#include "disk/players.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "evictd/try.h"
#include "harness/program.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kHoldPatience{60};
constexpr Bytes kHeld = 8_MiB;
/// Nothing reports the owner of a writable layer, so priority decides between pods for imagefs.
constexpr std::int32_t kImportant = 1000;

/// Total size of the files below `directory`.
std::int64_t bytes_in(const fs::path& directory) {
  std::int64_t sum = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry{directory, ignored}, end; entry != end;
       entry.increment(ignored)) {
    std::error_code failed;
    const std::uintmax_t size = entry->is_regular_file(failed) ? entry->file_size(failed) : 0;
    sum += failed ? 0 : static_cast<std::int64_t>(size);
  }
  return sum;
}

}  // namespace

Result<DiskActor> DiskPlayers::make(const stage::PodSpec& spec, stage::LoadOptions load,
                                    FilledFilesystem filesystem) {
  EVICTD_ASSIGN_OR_RETURN(stage::StagedPod pod, tree_.add_pod(spec));
  const fs::path files = filesystem == FilledFilesystem::kNode
                             ? ground_.node / "kubelet/pods" / pod.uid /
                                   "volumes/kubernetes.io~empty-dir" / stage::kEmptyDirName
                             : ground_.image / "snapshots" / pod.uid;
  std::error_code failed;
  fs::create_directories(files, failed);
  fs::create_directories(ground_.manifests(), failed);
  if (failed) {
    return fail_errno(failed.value(), "make " + files.string());
  }
  EVICTD_TRY(stage::replace_file(ground_.manifests() / (pod.uid + ".json"),
                                 stage::manifest(spec, pod.uid)));
  load.binary = programs_directory() / "evict-load";
  load.directory = ground_.directory;
  load.fill_directory = files;
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess process, stage::LoadProcess::start(tree_, pod, load));
  return DiskActor{std::move(pod), std::move(process), files};
}

Result<> DiskPlayers::start_bystanders() {
  const std::int32_t priority = row_.filesystem == FilledFilesystem::kImage ? kImportant : 0;
  const std::vector<stage::PodSpec> specs{{.name = "guaranteed-database",
                                           .qos = stage::QosClass::kGuaranteed,
                                           .priority = priority,
                                           .memory_request = 64_MiB,
                                           .memory_limit = 64_MiB,
                                           .termination_grace_seconds = 30,
                                           .empty_dir = true},
                                          {.name = "besteffort-small",
                                           .qos = stage::QosClass::kBestEffort,
                                           .priority = priority,
                                           .memory_request = Bytes{0},
                                           .memory_limit = Bytes{0},
                                           .termination_grace_seconds = 30,
                                           .empty_dir = true}};
  for (const stage::PodSpec& spec : specs) {
    stage::LoadOptions load;
    load.kind = load::LoadKind::kFileBytes;
    load.cap = kHeld.value;
    EVICTD_ASSIGN_OR_RETURN(DiskActor made, make(spec, load, FilledFilesystem::kNode));
    made.process.go();
    EVICTD_TRY(made.process.await_holding(kHoldPatience));
    bystanders_.push_back(std::move(made));
  }
  return {};
}

Result<DiskActor> DiskPlayers::make_filler() {
  const bool inodes = row_.resource == FilledResource::kInodes;
  stage::LoadOptions load;
  load.kind = inodes ? load::LoadKind::kInodes : load::LoadKind::kFileBytes;
  load.batch = inodes ? 1 : 0;
  load.ignore_sigterm = true;
  // More than exists: either the filesystem or evictd stops it.
  load.cap = inodes ? 2 * kDiskInodes : 2 * kDiskSize.value;
  stage::PodSpec spec;
  spec.name = "besteffort-filler";
  spec.empty_dir = row_.filesystem == FilledFilesystem::kNode;
  return make(spec, load, row_.filesystem);
}

void DiskPlayers::remove_layer(const DiskActor& actor) const {
  if (row_.filesystem == FilledFilesystem::kImage) {
    std::error_code ignored;
    fs::remove_all(actor.files, ignored);
  }
}

Result<> DiskPlayers::remove(DiskActor actor) {
  const stage::StagedPod pod = actor.pod;
  const fs::path files = actor.files;
  { const DiskActor ended = std::move(actor); }
  std::error_code ignored;
  fs::remove_all(files, ignored);
  fs::remove_all(ground_.node / "kubelet/pods" / pod.uid, ignored);
  for (const char* suffix : {".stamps", ".log"}) {
    fs::remove(ground_.directory / (pod.uid + suffix), ignored);
  }
  fs::remove(ground_.manifests() / (pod.uid + ".json"), ignored);
  return tree_.remove_pod(pod);
}

bool DiskPlayers::bystanders_untouched() const {
  return std::all_of(bystanders_.begin(), bystanders_.end(), [](const DiskActor& actor) {
    return actor.process.child().lives() && bytes_in(actor.files) == kHeld.value;
  });
}

}  // namespace evictd::bench
