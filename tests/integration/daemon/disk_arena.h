// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "arena.h"
#include "stage/loop_filesystem.h"

namespace evictd::daemon::test {

/// What is left of the arena's filesystem when its threshold is met.
inline constexpr std::int64_t kDiskHeadroom = 64 * kMiB;

/// An arena with a small filesystem of its own, on which the pods have their volumes.
class DiskArena : public Arena {
 protected:
  void SetUp() override;
  /// Makes the filesystem, in place of the one that there is. Not every kernel has one that counts
  /// projects.
  [[nodiscard]] Result<> make_disk(bool project_quotas);

  /// A pod with an emptyDir, whose process has filled it with so much, or does so after go().
  Actor& add_holder(const stage::PodSpec& spec, std::int64_t bytes);
  Actor& add_filler(const stage::PodSpec& spec, load::LoadKind kind, std::int64_t amount,
                    Manners manners = Manners::kPolite);
  /// A file in the emptyDir of a pod that not even root can remove.
  void add_immutable_file(const Actor& owner, std::int64_t bytes);
  /// Called with each emptyDir before its pod's process has a file in it.
  virtual void prepare(const std::filesystem::path& /*volume*/) {}
  /// A file of no pod, whole at once: nobody has it open when it is noticed.
  [[nodiscard]] std::filesystem::path add_ballast(std::int64_t bytes);
  /// No threshold yet; everything else, with evicted pods' data removed.
  [[nodiscard]] Json disk_config(Source source) const;
  [[nodiscard]] static Json signal_in(const Json& status, std::string_view signal);

  /// Destroyed before the scratch directory that it is in, after the processes that use it.
  std::optional<stage::LoopFilesystem> disk_;
};

}  // namespace evictd::daemon::test
