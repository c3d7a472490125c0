// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "load/stamp_log.h"
#include "stage/child.h"
#include "stage/private_tree.h"

namespace evictd::stage {

enum class PageKind { k4KiB, kHuge };

/// The content of a page of memory.
enum class PageContent { kOneByte, kMixed };

/// What a pod's process does once it is started by go().
struct LoadOptions {
  /// The evict-load to run.
  std::filesystem::path binary;
  /// A private directory on tmpfs, for the stamp log.
  std::filesystem::path directory;
  load::LoadKind kind = load::LoadKind::kMemory;
  /// Bytes or children to stop at and hold; 0: never.
  std::int64_t cap = 0;
  /// Bytes or children per second; 0: as fast as possible.
  std::int64_t rate = 0;
  /// Bytes or children between two stamps; 0: evict-load's default.
  std::int64_t batch = 0;
  PageKind pages = PageKind::k4KiB;
  /// kMixed compresses to two fifths, kOneByte to almost nothing.
  PageContent content = PageContent::kOneByte;
  bool ignore_sigterm = false;
  /// Directory of the files, for kFileBytes and kInodes.
  std::filesystem::path fill_directory{};
  /// Read at each batch end, into LoadStamp::usage; empty: none.
  std::filesystem::path usage_file{};
};

/// A real process of a staged pod: `evict-load`, in the pod's container from its first page on. The
/// destructor kills and reaps it. One thread uses it.
class LoadProcess {
 public:
  /// Returns once it is prepared and waits for go().
  /// Errors: as Child::start(); kTimedOut; kIo, with its output, if it ends at once.
  static Result<LoadProcess> start(const PrivateTree& tree, const StagedPod& pod,
                                   const LoadOptions& options);

  /// Starts its work. Call once.
  void go();
  /// Waits until it has reached its cap. Errors: kTimedOut; kIo if it ends before.
  Result<> await_holding(Duration timeout);
  [[nodiscard]] const load::StampLog& stamps() const { return stamps_; }
  [[nodiscard]] Child& child() { return child_; }
  [[nodiscard]] const Child& child() const { return child_; }

 private:
  LoadProcess(Child child, load::StampLog stamps);

  Child child_;
  load::StampLog stamps_;
};

}  // namespace evictd::stage
