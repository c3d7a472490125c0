// SPDX-License-Identifier: Apache-2.0
#include "notify/engine_thread.h"

#include <poll.h>
#include <pthread.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "evictd/try.h"
#include "sys/scheduling.h"

namespace evictd::notify {

Result<std::unique_ptr<EngineThread>> EngineThread::start(Engine& engine) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp stop, base::WakeUp::create());
  std::unique_ptr<EngineThread> started(new EngineThread(engine, std::move(stop)));
  // A host program's signals are for its own threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  try {
    started->thread_ = std::thread([self = started.get()] { self->run(); });
  } catch (const std::system_error& failed) {
    error = failed.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    return fail_errno(error, "start a thread");
  }
  return started;
}

EngineThread::~EngineThread() {
  stop_.signal();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void EngineThread::run() const {
  // It works for microseconds while listeners wait, so it must not also wait for other threads'
  // slices.
  static_cast<void>(sys::ask_for_short_slices());
  std::array<pollfd, 2> ready{pollfd{.fd = engine_.descriptor(), .events = POLLIN, .revents = 0},
                              pollfd{.fd = stop_.descriptor(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    if (ready[1].revents != 0) {
      return;
    }
    engine_.drain();
  }
}

}  // namespace evictd::notify
