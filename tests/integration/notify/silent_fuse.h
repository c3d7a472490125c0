// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "base/fd.h"
#include "support/temporary_directory.h"

namespace evictd::test {

/// A filesystem of our own with a file "f", which answers until it is told to be silent and then
/// nothing any more. Mounted for the thread that makes it alone.
class SilentFuse {
 public:
  SilentFuse();
  SilentFuse(const SilentFuse&) = delete;
  SilentFuse& operator=(const SilentFuse&) = delete;
  /// Ends the filesystem: whoever waits for it goes on.
  ~SilentFuse();

  /// Why there is none; empty if there is one.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  void fall_silent() { silent_ = true; }
  /// Waits until there is a request that is not answered.
  void await_unanswered() const { unanswered_.wait(false); }

 private:
  void mount();
  void answer();

  TemporaryDirectory directory_;
  std::string path_ = directory_.path().string();
  std::string missing_;
  base::Fd device_;
  std::atomic<bool> silent_{false};
  std::atomic<bool> unanswered_{false};
  std::thread thread_;
};

}  // namespace evictd::test
