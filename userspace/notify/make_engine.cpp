// SPDX-License-Identifier: Apache-2.0
#include "notify/make_engine.h"

#include <thread>

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
    Result<std::unique_ptr<PollingBackend>> polling = PollingBackend::create(clock);
    if (!polling) {
      return Failure(polling.error());
    }
    backend = std::move(*polling);
  } else {
    return Failure(kernel.error());
  }
  const auto waiting =
      std::thread::hardware_concurrency() > 1 ? Engine::Waiting::kAwake : Engine::Waiting::kAsleep;
  Result<std::unique_ptr<Engine>> engine = Engine::create(std::move(backend), clock, waiting);
  if (!engine) {
    return Failure(engine.error());
  }
  made.engine = std::move(*engine);
  return made;
}

}  // namespace evictd::notify
