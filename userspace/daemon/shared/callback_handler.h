// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "base/event_loop.h"

namespace evictd::daemon {

/// A handler that calls a function, whichever event is ready.
class CallbackHandler final : public base::ReadyHandler {
 public:
  explicit CallbackHandler(std::function<void()> callback) : callback_(std::move(callback)) {}
  void on_ready(std::uint32_t /*events*/) override { callback_(); }

 private:
  std::function<void()> callback_;
};

}  // namespace evictd::daemon
