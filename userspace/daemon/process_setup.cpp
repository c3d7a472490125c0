// SPDX-License-Identifier: Apache-2.0
#include "daemon/process_setup.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>

#include "daemon/descriptor_shares.h"
#include "daemon/shared/realtime.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// The usual minimum of a service.
constexpr std::uint64_t kFewDescriptors = 1024;

/// Both threads share one set of blocked signals, so that only the signalfd receives them.
Result<> block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&set, signal);
  }
  if (const int failure = pthread_sigmask(SIG_BLOCK, &set, nullptr); failure != 0) {
    return fail_errno(failure, "block signals");
  }
  return prepare_realtime_overrun_signal();
}

/// Returns the hard limit, or the current one.
std::uint64_t raise_descriptors(base::Log& log) {
  const Result<DescriptorLimit> limit = raise_descriptor_limit();
  if (!limit) {
    log.warn(limit.error().message() + ", continuing with few descriptors");
    return kFewDescriptors;
  }
  log.info("descriptor limit",
           {{"before", std::to_string(limit->before)}, {"now", std::to_string(limit->now)}});
  return limit->now;
}

}  // namespace

void ignore_broken_pipes() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
}

Result<ProcessSetup> set_up_process(const config::Settings& settings, base::Log& log) {
  const ProcessSetup setup{.descriptor_limit = raise_descriptors(log)};
  make_room_for_descriptors(setup.descriptor_limit);
  ignore_broken_pipes();
  EVICTD_TRY(block_signals());
  EVICTD_TRY(use_small_thread_stacks());
  // A failure shows when the control socket is created there, with its path.
  std::error_code ignored;
  std::filesystem::create_directories(settings.runtime_directory, ignored);
  return setup;
}

bool lock_memory_if_wanted(const config::Settings& settings, base::Log& log) {
  if (!settings.lock_memory) {
    return false;
  }
  const Result<> locked = lock_memory();
  if (!locked) {
    log.warn(locked.error().message() +
             ", continuing without locked memory: a node out of memory "
             "may page evictd out");
  }
  return locked.has_value();
}

}  // namespace evictd::daemon
