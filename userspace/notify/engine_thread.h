// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

#include "base/timer.h"
#include "evictd/result.h"
#include "notify/engine.h"

namespace evictd::notify {

/// A thread that drains an Engine until it is destroyed, for a program that has no loop for it. Its
/// policy and priority are those of the thread that starts it; of ordinary priority it has short
/// slices.
class EngineThread {
 public:
  /// `engine` is borrowed. Errors: what making a descriptor or a thread says.
  [[nodiscard]] static Result<std::unique_ptr<EngineThread>> start(Engine& engine);
  /// Returns once the thread has ended.
  ~EngineThread();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

 private:
  EngineThread(Engine& engine, base::WakeUp stop) : engine_(engine), stop_(std::move(stop)) {}
  void run() const;

  Engine& engine_;
  base::WakeUp stop_;
  std::thread thread_;
};

}  // namespace evictd::notify
