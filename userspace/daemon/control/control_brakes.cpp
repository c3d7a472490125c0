// SPDX-License-Identifier: Apache-2.0
// Pause, resume and dry run of the running daemon, asked for by the control socket.
#include <poll.h>

#include <nlohmann/json.hpp>

#include "config/pause.h"
#include "daemon/control/control_service.h"
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
  return EVICTD_IN("signal", config::parse_paused_signal(name, compat));
}

Result<> add_pause(const nlohmann::json& request, eviction::Compat compat, MonoTime now,
                   engine::OperatorWishes& wishes) {
  const auto given = request.find("for");
  const std::string text = given == request.end() ? std::string()
                           : given->is_string()   ? given->get<std::string>()
                                                  : given->dump();
  EVICTD_ASSIGN_OR_RETURN(const Duration length,
                          EVICTD_IN("for", config::parse_pause_length(text)));
  EVICTD_ASSIGN_OR_RETURN(const auto signal, signal_in(request, compat));
  MonoTime& until =
      signal ? wishes.pauses.by_signal[static_cast<std::size_t>(*signal)] : wishes.pauses.all;
  until = now + length;
  return {};
}

Result<> end_pause(const nlohmann::json& request, eviction::Compat compat,
                   engine::OperatorWishes& wishes) {
  EVICTD_ASSIGN_OR_RETURN(const auto signal, signal_in(request, compat));
  if (signal) {
    wishes.pauses.by_signal[static_cast<std::size_t>(*signal)] = {};
  } else {
    wishes.pauses = {};
  }
  return {};
}

Result<> set_dry_run(const nlohmann::json& request, engine::OperatorWishes& wishes) {
  const auto given = request.find("on");
  if (given == request.end() || !given->is_boolean()) {
    return fail(Errc::kInvalid, "on: missing or not a boolean; allowed: true, false");
  }
  wishes.dry_run = given->get<bool>();
  return {};
}

}  // namespace

Result<nlohmann::ordered_json> ControlService::change_wishes(std::string_view op,
                                                             const nlohmann::json& request) {
  const eviction::Compat compat = context_.settings().compatibility;
  engine::OperatorWishes wishes = services_.state.wishes();
  EVICTD_TRY(op == "pause"    ? add_pause(request, compat, context_.clock->now(), wishes)
             : op == "resume" ? end_pause(request, compat, wishes)
                              : set_dry_run(request, wishes));
  EVICTD_TRY(put_in_force(wishes));
  context_.log->info("changed through the control socket", {{"request", request.dump()}});
  nlohmann::ordered_json answer = status();
  return nlohmann::ordered_json{
      {"ok", true}, {"dry_run", answer["dry_run"]}, {"pauses", answer["brakes"]["pauses"]}};
}

/// Returns once the hot thread applies the requests and the state file has them. After the answer
/// to a pause no pod is killed, not even by an evictd that restarts.
Result<> ControlService::put_in_force(const engine::OperatorWishes& wishes) {
  const std::uint64_t generation = services_.state.change_wishes(wishes);
  services_.state.keep();
  const MonoTime give_up = context_.clock->now() + kAnswerTime;
  exchange_messages_();  // The request may wait in the backlog.
  // The exchange consumes wake-ups: the answer is looked for after each, before the next wait.
  while (context_.hot_counters->wishes_applied.load(std::memory_order_acquire) < generation) {
    const MonoTime now = context_.clock->now();
    if (now >= give_up) {
      return fail(Errc::kTimedOut,
                  "the hot thread has not answered within 1s; it applies the request once it runs");
    }
    pollfd ready{.fd = context_.from_hot->wake_up.descriptor(), .events = POLLIN, .revents = 0};
    static_cast<void>(::poll(
        &ready, 1,
        static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(give_up - now).count())));
    exchange_messages_();
  }
  while (!services_.state.keeper().await_kept(kMessageTime)) {
    if (context_.clock->now() >= give_up) {
      context_.log->warn(
          "the state file is not written after 1s, continuing: a restart before the write forgets "
          "what the control socket requested");
      break;
    }
    exchange_messages_();
  }
  return {};
}

}  // namespace evictd::daemon
