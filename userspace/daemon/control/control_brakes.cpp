// SPDX-License-Identifier: Apache-2.0
// Pause, resume and dry run of the running daemon, asked for by the control socket.
#include <poll.h>

#include <nlohmann/json.hpp>

#include "config/pause.h"
#include "daemon/control/status_brakes.h"
#include "daemon/housekeeping.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// The hot thread answers a wake-up in microseconds; one that does not answer in this time hangs.
constexpr Duration kAnswerTime = std::chrono::seconds(1);

/// Maximum time without handling the hot thread's messages while waiting for a slow disk.
constexpr Duration kMessageTime = std::chrono::milliseconds(50);

Result<std::optional<eviction::Signal>> signal_in(const nlohmann::json& request,
                                                  eviction::Compat compat) {
  const auto found = request.find("signal");
  if (found == request.end() || found->is_null()) {
    return std::optional<eviction::Signal>();
  }
  const std::string name = found->is_string() ? found->get<std::string>() : found->dump();
  const Result<eviction::Signal> signal = config::parse_paused_signal(name, compat);
  if (!signal) {
    return fail_in("signal", signal.error());
  }
  return std::optional(*signal);
}

}  // namespace

Result<nlohmann::ordered_json> Housekeeping::change_wishes(std::string_view op,
                                                           const nlohmann::json& request) {
  const MonoTime now = options_.clock->now();
  const engine::OperatorWishes before = wishes_;
  const Result<> changed = op == "pause"    ? pause(request, now)
                           : op == "resume" ? resume(request)
                                            : set_dry_run(request);
  if (!changed) {
    wishes_ = before;
    return Failure(changed.error());
  }
  EVICTD_TRY(put_wishes_in_force());
  options_.log->info("changed through the control socket", {{"request", request.dump()}});
  nlohmann::ordered_json answer = status();
  return nlohmann::ordered_json{
      {"ok", true}, {"dry_run", answer["dry_run"]}, {"pauses", answer["brakes"]["pauses"]}};
}

Result<> Housekeeping::pause(const nlohmann::json& request, MonoTime now) {
  const auto given = request.find("for");
  const std::string text = given == request.end() ? std::string()
                           : given->is_string()   ? given->get<std::string>()
                                                  : given->dump();
  const Result<Duration> length = config::parse_pause_length(text);
  if (!length) {
    return fail_in("for", length.error());
  }
  EVICTD_ASSIGN_OR_RETURN(const auto signal, signal_in(request, config_->settings().compatibility));
  MonoTime& until =
      signal ? wishes_.pauses.by_signal[static_cast<std::size_t>(*signal)] : wishes_.pauses.all;
  until = now + *length;
  return {};
}

Result<> Housekeeping::resume(const nlohmann::json& request) {
  EVICTD_ASSIGN_OR_RETURN(const auto signal, signal_in(request, config_->settings().compatibility));
  if (signal) {
    wishes_.pauses.by_signal[static_cast<std::size_t>(*signal)] = {};
  } else {
    wishes_.pauses = {};
  }
  return {};
}

Result<> Housekeeping::set_dry_run(const nlohmann::json& request) {
  const auto given = request.find("on");
  if (given == request.end() || !given->is_boolean()) {
    return fail(Errc::kInvalid, "on: missing or not a boolean; allowed: true, false");
  }
  wishes_.dry_run = given->get<bool>();
  return {};
}

/// Returns once the hot thread applies the requests and the state file has them. After the answer
/// to a pause no pod is killed, not even by an evictd that restarts.
Result<> Housekeeping::put_wishes_in_force() {
  ++wishes_generation_;
  send(SetWishes{.wishes = wishes_, .generation = wishes_generation_});
  keeper_->set_wishes(wishes_, config_->settings().dry_run);
  keep_state();
  const MonoTime give_up = options_.clock->now() + kAnswerTime;
  while (options_.hot_counters->wishes_applied.load(std::memory_order_acquire) <
         wishes_generation_) {
    const MonoTime now = options_.clock->now();
    if (now >= give_up) {
      return fail(Errc::kTimedOut,
                  "the hot thread has not answered within 1s; it applies the request once it runs");
    }
    flush_backlog();
    pollfd ready{.fd = options_.from_hot->wake_up.descriptor(), .events = POLLIN, .revents = 0};
    static_cast<void>(::poll(
        &ready, 1,
        static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(give_up - now).count())));
    on_messages();
  }
  while (!keeper_->await_kept(kMessageTime)) {
    if (options_.clock->now() >= give_up) {
      options_.log->warn(
          "the state file is not written after 1s, continuing: a restart before the write forgets "
          "what the control socket requested");
      break;
    }
    flush_backlog();
    on_messages();
  }
  return {};
}

}  // namespace evictd::daemon
