// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

#include "base/timer.h"
#include "evictd/result.h"
#include "notify/engine.h"

namespace evictd::notify {

/// A thread that drains an Engine until it is destroyed, for a program without an event loop. It
/// inherits policy and priority from the starting thread; with ordinary priority it asks for short
/// slices.
class EngineThread {
 public:
  /// `engine` is borrowed. Errors: those of creating a descriptor or a thread.
  [[nodiscard]] static Result<std::unique_ptr<EngineThread>> start(Engine& engine);
  /// Returns after the thread has ended.
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
