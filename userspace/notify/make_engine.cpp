// SPDX-License-Identifier: Apache-2.0
#include "notify/make_engine.h"

#include <thread>

#include "evictd/try.h"
#include "notify/kernel_backend.h"
#include "notify/polling_backend.h"

namespace evictd::notify {

Result<MadeEngine> make_engine(const EngineOptions& options, const core::Clock& clock) {
  MadeEngine made;
  std::unique_ptr<Backend> backend;
  if (Result<std::unique_ptr<KernelBackend>> kernel = KernelBackend::create(options.kernel);
      kernel) {
    made.rows = (*kernel)->rows();
    backend = std::move(*kernel);
  } else if (options.may_poll) {
    made.polls_because = kernel.error().message();
    EVICTD_ASSIGN_OR_RETURN(backend, PollingBackend::create(clock));
  } else {
    return Failure(kernel.error());
  }
  const auto waiting =
      std::thread::hardware_concurrency() > 1 ? Engine::Waiting::kAwake : Engine::Waiting::kAsleep;
  EVICTD_ASSIGN_OR_RETURN(made.engine, Engine::create(std::move(backend), clock, waiting));
  return made;
}

}  // namespace evictd::notify
