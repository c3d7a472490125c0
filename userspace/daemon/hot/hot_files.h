// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "evictd/time.h"
#include "sys/cgroup_files.h"

namespace evictd::daemon {

struct HotPod;
struct FoundPod;
class PodRegistry;
enum class SavedLook : int;

/// The cgroup files of a pod that only the hot thread reads. The kernel holds a lock of the open
/// file while it produces one text, and that lock ignores priorities. So a reader of ordinary
/// priority that loses the CPU would block the hot thread. Other readers open their own files
/// (PodRegistry::open_files_of()). Thread rule: housekeeping creates it; the hot thread owns it
/// once it has the pod.
class HotFiles {
 public:
  /// The right to read these files. The hot thread creates it, and before the handover whoever has
  /// the pod.
  class Key {
    friend class Readings;
    friend class PodOpener;
    friend FoundPod inspect_pod(const HotPod& pod, const PodRegistry& registry, SavedLook saved,
                                MonoTime now);
    Key() {}  // NOLINT(modernize-use-equals-default): a defaulted one were anybody's to write {}.
  };

  HotFiles() = default;
  explicit HotFiles(sys::CgroupFiles files) : files_(std::move(files)) {}

  [[nodiscard]] const sys::CgroupFiles& opened(Key /*key*/) const { return files_; }
  /// For the kill target, which only the hot thread reads; -1 if nothing is open.
  [[nodiscard]] int usage_fd() const { return files_.usage_fd(); }
  /// Whether `others`, opened later, are the same files. Any thread, no system call.
  [[nodiscard]] bool are_same_as(const sys::CgroupFiles& others) const {
    return files_.usage_inode() == others.usage_inode();
  }

 private:
  sys::CgroupFiles files_;
};

}  // namespace evictd::daemon
