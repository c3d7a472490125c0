// SPDX-License-Identifier: Apache-2.0
#include "daemon/kernel_side.h"

#include <string>
#include <utility>

#include "daemon/preparations.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

Result<KernelSide> load(const config::Settings& settings, base::Log& log) {
  KernelSide side;
  if (settings.event_source == config::EventSource::kPoll) {
    return side;
  }
  EVICTD_ASSIGN_OR_RETURN(const probe::Options options, probe_options_of(settings));
  Result<std::unique_ptr<probe::Probe>> probe = probe::Probe::load(options);
  if (probe) {
    side.probe = std::move(*probe);
    side.ladder = side.probe->ladder();
    return side;
  }
  if (settings.event_source == config::EventSource::kBpf) {
    return fail_in("eventSource is bpf", probe.error());
  }
  log.warn(probe.error().message() + ", continuing without kernel events: polling");
  side.ladder = probe::Probe::examine(options);
  return side;
}

void log_degradations(const probe::Ladder& ladder, base::Log& log) {
  for (const probe::PurposeReport& purpose : ladder.purposes) {
    const std::string name(probe::to_string(purpose.purpose));
    if (purpose.is_missing()) {
      log.warn("no hook serves " + name + ", continuing without it; evictctl doctor says why");
    } else if (!purpose.chosen().empty()) {
      log.info("hook attached", {{"purpose", name}, {"row", std::string(purpose.chosen())}});
    }
  }
}

}  // namespace

Result<KernelSide> load_kernel_side(const config::Settings& settings, base::Log& log) {
  Result<KernelSide> side = load(settings, log);
  if (side) {
    log_degradations(side->ladder, log);
  }
  return side;
}

}  // namespace evictd::daemon
