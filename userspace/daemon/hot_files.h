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

/// The files of a pod that the hot thread reads, which nobody else reads through: the kernel holds
/// a lock of the open file for as long as one text is made, and that lock knows no priorities, so
/// that a reader of ordinary priority who lost the CPU meanwhile would hold the hot thread up.
/// Whoever else wants numbers opens files of its own (PodRegistry::open_files_of()).
/// Thread rule: made by housekeeping; from the handover of the pod on it is the hot thread's.
class HotFiles {
 public:
  /// The right to read through them. The hot thread makes it, and whoever has the pod before it.
  class Key {
    friend class Readings;
    friend class PodOpener;
    friend FoundPod look_at_pod(const HotPod& pod, const PodRegistry& registry, SavedLook saved,
                                MonoTime now);
    Key() {}  // NOLINT(modernize-use-equals-default): a defaulted one were anybody's to write {}.
  };

  HotFiles() = default;
  explicit HotFiles(sys::CgroupFiles files) : files_(std::move(files)) {}

  [[nodiscard]] const sys::CgroupFiles& opened(Key /*key*/) const { return files_; }
  /// For the kill target, which the hot thread alone reads; -1 if nothing is open.
  [[nodiscard]] int usage_fd() const { return files_.usage_fd(); }
  /// Whether `others`, opened later, are the same files. Any thread, no system call.
  [[nodiscard]] bool are_same_as(const sys::CgroupFiles& others) const {
    return files_.usage_inode() == others.usage_inode();
  }

 private:
  sys::CgroupFiles files_;
};

}  // namespace evictd::daemon
