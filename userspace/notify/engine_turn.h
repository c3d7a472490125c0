// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "notify/engine.h"

namespace evictd::notify {

/// Holds an Engine's lock. The destructor releases the lock and then closes what was released
/// meanwhile: close() may block, and nothing may wait for it with the lock held. For .cpp files of
/// this folder only.
class Engine::Turn {
 public:
  explicit Turn(Engine& engine) : engine_(engine), lock_(engine.mutex_) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (engine_.released_.empty()) {
      return;
    }
    std::map<uid_t, std::vector<base::Fd>> released = std::exchange(engine_.released_, {});
    const std::shared_ptr<Disposer> disposer = engine_.disposer_;
    lock_.unlock();
    if (disposer) {
      for (auto& [owner, descriptors] : released) {
        disposer->dispose(owner, std::move(descriptors), Disposer::Kind::kRegistration);
      }
    }
  }

 private:
  Engine& engine_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace evictd::notify
