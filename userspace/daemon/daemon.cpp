// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

#include <memory>
#include <utility>

#include "daemon/composition.h"

namespace evictd::daemon {

Result<> run_daemon(const DaemonOptions& options, config::Config config) {
  Composition composition(options, std::make_shared<const config::Config>(std::move(config)));
  return composition.run();
}

}  // namespace evictd::daemon
