// SPDX-License-Identifier: Apache-2.0
#include "cli/status_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "base/json_members.h"
#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/forecast_text.h"
#include "cli/state_text.h"

namespace evictd::cli {

namespace {

using base::integer_at;
using base::is_true_at;
using base::list_at;
using base::member_at;
using Json = nlohmann::ordered_json;

constexpr const char* kNothing = "-";

std::string text_of_value(const Json& value) {
  return value.is_string() ? base::one_line(value.get<std::string>()) : value.dump();
}

std::string value_text(const Json& object, const char* key) {
  const Json& value = member_at(object, key);
  return value.is_null() ? kNothing : text_of_value(value);
}

std::string bytes_of(const Json& object, const char* key) {
  const Json& value = member_at(object, key);
  return value.is_number() ? bytes_text(value.get<double>()) : kNothing;
}

std::string signal_amount(const Json& signal, const char* key) {
  return is_count(value_text(signal, "signal")) ? value_text(signal, key) : bytes_of(signal, key);
}

void print_memory_rules(const Json& status, std::ostream& out) {
  const Json& rules = member_at(status, "memory_available");
  if (!rules.is_object()) {
    return;
  }
  const auto yes_or_no = [&](const char* key) { return is_true_at(rules, key) ? "yes" : "no"; };
  out << fmt::format(
      "memoryAvailableSource {}, swapAware {}, hugepageAware {}, watched by the kernel side {}, "
      "polled {}\n",
      value_text(rules, "source"), yes_or_no("swap_aware"), yes_or_no("hugepage_aware"),
      yes_or_no("watched_by_kernel"), yes_or_no("polled"));
}

void print_guard(const Json& status, std::ostream& out) {
  const Json& guard = member_at(status, "oom_guard");
  if (!guard.is_object()) {
    return;
  }
  if (!is_true_at(guard, "armed")) {
    out << (is_true_at(guard, "on") ? "OOM guard: no hard threshold of memory.available\n"
                                    : "OOM guard: off\n");
    return;
  }
  const std::string time = value_text(guard, "time_left_ms");
  out << fmt::format("OOM guard: {}the kernel can still give {}, falling by {}/s{}\n",
                     is_true_at(guard, "due") ? "DUE, " : "", bytes_of(guard, "left"),
                     bytes_of(guard, "rate"), time == kNothing ? "" : ", for " + time + " ms more");
}

void print_pid_watchers(const Json& status, std::ostream& out) {
  const Json& pids = member_at(status, "pid_available");
  if (!pids.is_object()) {
    return;
  }
  const auto yes_or_no = [&](const char* key) { return is_true_at(pids, key) ? "yes" : "no"; };
  out << fmt::format("pidAvailableSource {}, watched by the kernel side {}, polled {}\n",
                     value_text(status, "pid_available_source"), yes_or_no("watched_by_kernel"),
                     yes_or_no("polled"));
}

/// Whether evictd has real-time priority, and how often it lost it.
std::string realtime_text(const Json& status) {
  std::string in_force = is_true_at(status, "realtime") ? "yes" : "no";
  const std::string losses = value_text(member_at(status, "counters"), "realtime_losses");
  if (losses == kNothing || losses == "0") {
    return in_force;
  }
  return fmt::format("{} (lost {} time{})", in_force, losses, losses == "1" ? "" : "s");
}

void print_head(const Json& status, std::ostream& out) {
  const std::string node = value_text(status, "node");
  out << fmt::format("evictd {} (pid {}){}, kubelet {} rules, events from {}{}{}\n",
                     value_text(status, "version"), value_text(status, "pid"),
                     node.empty() || node == kNothing ? "" : " on node " + node,
                     value_text(status, "compatibility"), value_text(status, "event_source"),
                     is_true_at(status, "dry_run") ? ", DRY RUN: nothing is killed" : "",
                     is_true_at(status, "reading_files") ? ", readings from files" : "");
  const std::string pod_root = value_text(status, "pod_root");
  out << fmt::format("pod root {} (cgroup {}), real-time {}, memory locked {}\n",
                     pod_root.empty() ? "none" : pod_root, value_text(status, "cgroup_mode"),
                     realtime_text(status), is_true_at(status, "memory_locked") ? "yes" : "no");
  print_memory_rules(status, out);
  print_guard(status, out);
  print_pid_watchers(status, out);
  out << "conditions:";
  bool any = false;
  for (const Json& condition : list_at(status, "conditions")) {
    if (is_true_at(condition, "status")) {
      out << ' ' << value_text(condition, "type");
      any = true;
    }
  }
  out << (any ? "\n" : " none\n");
  if (const Json& pass = member_at(status, "last_pass"); pass.is_object()) {
    const std::string reason = value_text(pass, "reason_text");
    out << fmt::format("last pass: {} ms ago ({}), {}{}\n", value_text(pass, "ms_ago"),
                       value_text(pass, "trigger"), value_text(pass, "outcome"),
                       reason.empty() || reason == kNothing ? "" : ": " + reason);
  }
}

void print_brakes(const Json& status, std::ostream& out) {
  const Json& brakes = member_at(status, "brakes");
  if (!brakes.is_object()) {
    return;
  }
  const std::string on = value_text(brakes, "on");
  const std::string most = value_text(brakes, "max_evictions_per_minute");
  out << fmt::format("brakes: {}, {} of {} evictions in the last minute\n",
                     on == kNothing ? "none on" : on, value_text(brakes, "evictions_last_minute"),
                     most == "0" ? "any number of" : most);
  for (const Json& pause : list_at(brakes, "pauses")) {
    const std::string signal = pause.is_object() ? value_text(pause, "signal") : kNothing;
    if (pause.is_object()) {
      out << fmt::format("paused: {} until {}\n", signal == kNothing ? "everything" : signal,
                         value_text(pause, "until"));
    }
  }
}

/// An older evictd only reports whole seconds.
std::string grace_of(const Json& signal) {
  const std::optional<std::int64_t> ms = integer_at(signal, "grace_period_ms");
  return ms ? grace_text(*ms) : value_text(signal, "grace_period_seconds") + "s";
}

void print_signals(const Json& status, std::ostream& out) {
  constexpr const char* kRow = "{:<28} {:<5} {:>10} {:>6} {:>12} {:>12} {:>4}\n";
  out << '\n'
      << fmt::format(kRow, "SIGNAL", "KIND", "THRESHOLD", "GRACE", "AVAILABLE", "CAPACITY", "MET");
  for (const Json& signal : list_at(status, "signals")) {
    out << fmt::format(kRow, value_text(signal, "signal"), value_text(signal, "kind"),
                       value_text(signal, "threshold"), grace_of(signal),
                       signal_amount(signal, "available"), signal_amount(signal, "capacity"),
                       is_true_at(signal, "met") ? "yes" : "no");
  }
  for (const Json& signal : list_at(status, "signals")) {
    if (const std::string forecast = forecast_text(signal); !forecast.empty()) {
      out << value_text(signal, "signal") << ' ' << forecast << '\n';
    }
  }
}

void print_filesystems(const Json& status, std::ostream& out) {
  const Json& filesystems = list_at(status, "filesystems");
  if (filesystems.empty()) {
    return;
  }
  constexpr const char* kRow = "{:<28} {:<32} {:<8} {:<8} {:<10} {:>9} {:>9} {:>11} {:>11} {:>7}\n";
  out << '\n'
      << fmt::format(kRow, "SERVES", "MOUNT POINT", "DEVICE", "TYPE", "STATE", "FREE", "SIZE",
                     "INODES FREE", "INODES", "AGE ms");
  for (const Json& one : filesystems) {
    std::string serves;
    for (const Json& role : list_at(one, "serves")) {
      serves += (serves.empty() ? "" : ",") + text_of_value(role);
    }
    out << fmt::format(kRow, serves, value_text(one, "mount_point"), value_text(one, "device"),
                       value_text(one, "type"), value_text(one, "state"),
                       bytes_of(one, "available_bytes"), bytes_of(one, "capacity_bytes"),
                       value_text(one, "inodes_free"), value_text(one, "inodes"),
                       value_text(one, "age_ms"));
  }
}

std::string pod_name(const Json& pod) {
  const std::string name = value_text(pod, "name");
  const std::string ns = value_text(pod, "namespace");
  if (name.empty() || name == kNothing) {
    return value_text(pod, "uid");
  }
  return ns.empty() || ns == kNothing ? name : ns + "/" + name;
}

void print_pods(const Json& status, std::ostream& out) {
  constexpr const char* kRow =
      "{:<44} {:<12} {:<10} {:<11} {:>11} {:>9} {:>9} {:>6} {:>9} {:>5} {:>5}\n";
  out << '\n'
      << fmt::format(kRow, "POD", "STATE", "PROTECTED", "QOS", "PRIORITY", "WORKING", "REQUEST",
                     "TASKS", "STALL us", "MEM#", "PID#");
  for (const Json& pod : list_at(status, "pods")) {
    out << fmt::format(kRow, pod_name(pod), value_text(pod, "state"), value_text(pod, "protection"),
                       value_text(pod, "qos"), value_text(pod, "priority"),
                       bytes_of(pod, "working_set_bytes"), bytes_of(pod, "memory_request_bytes"),
                       value_text(pod, "tasks"), value_text(pod, "stall_us"),
                       value_text(pod, "memory_rank"), value_text(pod, "pid_rank"));
  }
}

/// The age of the pod manifests, if their source reports it.
void print_manifests(const Json& status, std::ostream& out) {
  for (const Json& one : list_at(status, "manifests")) {
    const std::string age = value_text(one, "confirmed_ms_ago");
    if (age != kNothing) {
      out << fmt::format("manifests in {}: confirmed by their source {} ms ago\n",
                         value_text(one, "directory"), age);
    }
  }
}

void print_hooks(const Json& status, std::ostream& out) {
  out << "\nhooks:";
  if (status.contains("hooks") && status["hooks"].is_object()) {
    for (const auto& [purpose, row] : status["hooks"].items()) {
      out << fmt::format(" {}={}", base::one_line(purpose), text_of_value(row));
    }
  }
  out << '\n';
  const Json& counters = member_at(status, "counters");
  if (!counters.is_object()) {
    return;
  }
  out << fmt::format(
      "evictions {}, refused {}, kernel OOM kills {}, lost records {}, resyncs {}, "
      "cross-check disagreements {}\n",
      value_text(counters, "evictions"), value_text(counters, "not_begun"),
      value_text(counters, "kernel_oom_kills"), value_text(counters, "lost_records"),
      value_text(counters, "resyncs"), value_text(counters, "cross_check_disagreements"));
  if (const Json& kernel = member_at(counters, "kernel"); kernel.is_object()) {
    out << fmt::format("kernel events dropped {}, recursion misses {}, timer {}\n",
                       value_text(kernel, "dropped"), value_text(kernel, "recursion_misses"),
                       is_true_at(kernel, "timer_stalled") ? "STALLED" : "running");
  }
  if (const Json& backstop = member_at(counters, "backstop"); backstop.is_object()) {
    out << fmt::format(
        "in-kernel brake {}: armed {}, fired {}, taken back {}, expired {}, spared {}\n",
        value_text(backstop, "way"), value_text(backstop, "armed"), value_text(backstop, "fired"),
        value_text(backstop, "taken"), value_text(backstop, "expired"),
        value_text(backstop, "spared"));
  }
}

std::string notify_signals(const Json& notify) {
  std::string text;
  if (notify.contains("registrations_by_signal") && notify["registrations_by_signal"].is_object()) {
    for (const auto& [signal, count] : notify["registrations_by_signal"].items()) {
      if (count.is_number() && count != 0) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", base::one_line(signal),
                            text_of_value(count));
      }
    }
  }
  return text.empty() ? text : " (" + text + ")";
}

void print_notify(const Json& status, std::ostream& out) {
  const Json& notify = member_at(status, "notify");
  if (!notify.is_object()) {
    return;
  }
  const std::string socket = value_text(notify, "socket");
  const std::string problem = value_text(notify, "problem");
  if (!is_true_at(notify, "serving")) {
    out << fmt::format("problem: no notifications on {} ({} failures): {}\n", socket,
                       value_text(notify, "failures"), problem);
    return;
  }
  out << fmt::format("notifications: {} by {} ({}){}\n", socket, value_text(notify, "backend"),
                     value_text(notify, "watches_by"),
                     is_true_at(notify, "stale") ? ", values are old: it does not answer" : "");
  if (const std::string why = value_text(notify, "polls_because");
      !why.empty() && why != kNothing) {
    out << "  files are read: " << why << '\n';
  }
  if (const std::string why = value_text(notify, "no_pressure_because");
      !why.empty() && why != kNothing) {
    out << "  no pressure levels: " << why << '\n';
  }
  out << fmt::format("  connections {}, registrations {}{}, deliveries {}, lost {}, resyncs {}\n",
                     value_text(notify, "connections"), value_text(notify, "registrations"),
                     notify_signals(notify), value_text(notify, "deliveries"),
                     value_text(notify, "lost"), value_text(notify, "resyncs"));
  const Json& limits = member_at(notify, "limits", "user");
  out << fmt::format(
      "  refused {}, expelled {}; limit of a user: registrations {}, connections {}\n",
      value_text(notify, "refused"), value_text(notify, "expelled"),
      value_text(limits, "registrations"), value_text(limits, "connections"));
}

std::string eviction_state_text(const Json& eviction) {
  const std::string not_killed = value_text(eviction, "not_killed");
  const bool spared = !not_killed.empty() && not_killed != kNothing;
  const std::string state = value_text(eviction, "state");
  if (is_true_at(eviction, "dry_run")) {
    return (spared ? "would not be killed: " + not_killed : dry_run_state_text(state)) +
           " (dry run)";
  }
  return spared ? "not killed: " + not_killed : state_text(state);
}

void print_evictions(const Json& status, std::ostream& out) {
  const Json& evictions = list_at(status, "evictions");
  if (evictions.empty()) {
    out << "\nno evictions yet\n";
    return;
  }
  constexpr const char* kRow = "{:>4} {:<28} {:<44} {:<28} {:>6} {:<14}\n";
  out << '\n' << fmt::format(kRow, "ID", "TIME", "EVICTED", "SIGNAL", "GRACE", "STATE");
  for (const Json& eviction : evictions) {
    out << fmt::format(kRow, value_text(eviction, "id"), value_text(eviction, "time"),
                       value_text(eviction, "pod"), value_text(eviction, "signal"),
                       value_text(eviction, "grace_seconds") + "s", eviction_state_text(eviction));
  }
}

}  // namespace

void print_status(const Json& status, std::ostream& out) {
  print_head(status, out);
  print_brakes(status, out);
  print_signals(status, out);
  print_filesystems(status, out);
  print_pods(status, out);
  print_manifests(status, out);
  print_hooks(status, out);
  print_notify(status, out);
  for (const Json& problem : list_at(status, "problems")) {
    out << "problem: " << text_of_value(problem) << '\n';
  }
  if (const Json& records = member_at(status, "records"); is_true_at(records, "in_memory_only")) {
    out << fmt::format("problem: records are kept in memory only ({} lost to the file): {}\n",
                       value_text(records, "lost"), value_text(records, "problem"));
  }
  print_evictions(status, out);
}

}  // namespace evictd::cli
