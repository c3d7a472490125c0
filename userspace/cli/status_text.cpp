// SPDX-License-Identifier: Apache-2.0
#include "cli/status_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/forecast_text.h"
#include "cli/state_text.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNothing = "-";

std::string text_of_value(const Json& value) {
  return value.is_string() ? base::one_line(value.get<std::string>()) : value.dump();
}

std::string value_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? kNothing : text_of_value(*found);
}

std::string bytes_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? bytes_text(found->get<double>()) : kNothing;
}

std::string signal_amount(const Json& signal, const char* key) {
  return is_count(value_text(signal, "signal")) ? value_text(signal, key) : bytes_of(signal, key);
}

bool is_true(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_boolean() && object[key].get<bool>();
}

const Json& list_of(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kEmpty;
}

void print_memory_rules(const Json& status, std::ostream& out) {
  if (!status.contains("memory_available") || !status["memory_available"].is_object()) {
    return;
  }
  const Json& rules = status["memory_available"];
  const auto yes_or_no = [&](const char* key) { return is_true(rules, key) ? "yes" : "no"; };
  out << fmt::format(
      "memoryAvailableSource {}, swapAware {}, hugepageAware {}, watched by the kernel side {}, "
      "polled {}\n",
      value_text(rules, "source"), yes_or_no("swap_aware"), yes_or_no("hugepage_aware"),
      yes_or_no("watched_by_kernel"), yes_or_no("polled"));
}

void print_guard(const Json& status, std::ostream& out) {
  if (!status.contains("oom_guard") || !status["oom_guard"].is_object()) {
    return;
  }
  const Json& guard = status["oom_guard"];
  if (!is_true(guard, "armed")) {
    out << (is_true(guard, "on") ? "OOM guard: no hard threshold of memory.available\n"
                                 : "OOM guard: off\n");
    return;
  }
  const std::string time = value_text(guard, "time_left_ms");
  out << fmt::format("OOM guard: {}the kernel can still give {}, falling by {}/s{}\n",
                     is_true(guard, "due") ? "DUE, " : "", bytes_of(guard, "left"),
                     bytes_of(guard, "rate"), time == kNothing ? "" : ", for " + time + " ms more");
}

void print_pid_watchers(const Json& status, std::ostream& out) {
  if (!status.contains("pid_available") || !status["pid_available"].is_object()) {
    return;
  }
  const Json& pids = status["pid_available"];
  const auto yes_or_no = [&](const char* key) { return is_true(pids, key) ? "yes" : "no"; };
  out << fmt::format("pidAvailableSource {}, watched by the kernel side {}, polled {}\n",
                     value_text(status, "pid_available_source"), yes_or_no("watched_by_kernel"),
                     yes_or_no("polled"));
}

/// Whether evictd has real-time priority, and how often it lost it.
std::string realtime_text(const Json& status) {
  std::string in_force = is_true(status, "realtime") ? "yes" : "no";
  const auto counters = status.find("counters");
  const std::string losses = counters != status.end() && counters->is_object()
                                 ? value_text(*counters, "realtime_losses")
                                 : kNothing;
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
                     is_true(status, "dry_run") ? ", DRY RUN: nothing is killed" : "",
                     is_true(status, "reading_files") ? ", readings from files" : "");
  const std::string pod_root = value_text(status, "pod_root");
  out << fmt::format("pod root {} (cgroup {}), real-time {}, memory locked {}\n",
                     pod_root.empty() ? "none" : pod_root, value_text(status, "cgroup_mode"),
                     realtime_text(status), is_true(status, "memory_locked") ? "yes" : "no");
  print_memory_rules(status, out);
  print_guard(status, out);
  print_pid_watchers(status, out);
  out << "conditions:";
  bool any = false;
  for (const Json& condition : list_of(status, "conditions")) {
    if (is_true(condition, "status")) {
      out << ' ' << value_text(condition, "type");
      any = true;
    }
  }
  out << (any ? "\n" : " none\n");
  if (status.contains("last_pass") && status["last_pass"].is_object()) {
    const Json& pass = status["last_pass"];
    const std::string reason = value_text(pass, "reason_text");
    out << fmt::format("last pass: {} ms ago ({}), {}{}\n", value_text(pass, "ms_ago"),
                       value_text(pass, "trigger"), value_text(pass, "outcome"),
                       reason.empty() || reason == kNothing ? "" : ": " + reason);
  }
}

void print_brakes(const Json& status, std::ostream& out) {
  if (!status.contains("brakes") || !status["brakes"].is_object()) {
    return;
  }
  const Json& brakes = status["brakes"];
  const std::string on = value_text(brakes, "on");
  const std::string most = value_text(brakes, "max_evictions_per_minute");
  out << fmt::format("brakes: {}, {} of {} evictions in the last minute\n",
                     on == kNothing ? "none on" : on, value_text(brakes, "evictions_last_minute"),
                     most == "0" ? "any number of" : most);
  for (const Json& pause : list_of(brakes, "pauses")) {
    const std::string signal = pause.is_object() ? value_text(pause, "signal") : kNothing;
    if (pause.is_object()) {
      out << fmt::format("paused: {} until {}\n", signal == kNothing ? "everything" : signal,
                         value_text(pause, "until"));
    }
  }
}

/// An older evictd only reports whole seconds.
std::string grace_of(const Json& signal) {
  const auto ms = signal.find("grace_period_ms");
  return ms != signal.end() && ms->is_number_integer()
             ? grace_text(ms->get<std::int64_t>())
             : value_text(signal, "grace_period_seconds") + "s";
}

void print_signals(const Json& status, std::ostream& out) {
  constexpr const char* kRow = "{:<28} {:<5} {:>10} {:>6} {:>12} {:>12} {:>4}\n";
  out << '\n'
      << fmt::format(kRow, "SIGNAL", "KIND", "THRESHOLD", "GRACE", "AVAILABLE", "CAPACITY", "MET");
  for (const Json& signal : list_of(status, "signals")) {
    out << fmt::format(kRow, value_text(signal, "signal"), value_text(signal, "kind"),
                       value_text(signal, "threshold"), grace_of(signal),
                       signal_amount(signal, "available"), signal_amount(signal, "capacity"),
                       is_true(signal, "met") ? "yes" : "no");
  }
  for (const Json& signal : list_of(status, "signals")) {
    if (const std::string forecast = forecast_text(signal); !forecast.empty()) {
      out << value_text(signal, "signal") << ' ' << forecast << '\n';
    }
  }
}

void print_filesystems(const Json& status, std::ostream& out) {
  const Json& filesystems = list_of(status, "filesystems");
  if (filesystems.empty()) {
    return;
  }
  constexpr const char* kRow = "{:<28} {:<32} {:<8} {:<8} {:<10} {:>9} {:>9} {:>11} {:>11} {:>7}\n";
  out << '\n'
      << fmt::format(kRow, "SERVES", "MOUNT POINT", "DEVICE", "TYPE", "STATE", "FREE", "SIZE",
                     "INODES FREE", "INODES", "AGE ms");
  for (const Json& one : filesystems) {
    std::string serves;
    for (const Json& role : list_of(one, "serves")) {
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
  for (const Json& pod : list_of(status, "pods")) {
    out << fmt::format(kRow, pod_name(pod), value_text(pod, "state"), value_text(pod, "protection"),
                       value_text(pod, "qos"), value_text(pod, "priority"),
                       bytes_of(pod, "working_set_bytes"), bytes_of(pod, "memory_request_bytes"),
                       value_text(pod, "tasks"), value_text(pod, "stall_us"),
                       value_text(pod, "memory_rank"), value_text(pod, "pid_rank"));
  }
}

/// The age of the pod manifests, if their source reports it.
void print_manifests(const Json& status, std::ostream& out) {
  for (const Json& one : list_of(status, "manifests")) {
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
  if (!status.contains("counters") || !status["counters"].is_object()) {
    return;
  }
  const Json& counters = status["counters"];
  out << fmt::format(
      "evictions {}, refused {}, kernel OOM kills {}, lost records {}, resyncs {}, "
      "cross-check disagreements {}\n",
      value_text(counters, "evictions"), value_text(counters, "not_begun"),
      value_text(counters, "kernel_oom_kills"), value_text(counters, "lost_records"),
      value_text(counters, "resyncs"), value_text(counters, "cross_check_disagreements"));
  if (counters.contains("kernel") && counters["kernel"].is_object()) {
    const Json& kernel = counters["kernel"];
    out << fmt::format("kernel events dropped {}, recursion misses {}, timer {}\n",
                       value_text(kernel, "dropped"), value_text(kernel, "recursion_misses"),
                       is_true(kernel, "timer_stalled") ? "STALLED" : "running");
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
  if (!status.contains("notify") || !status["notify"].is_object()) {
    return;
  }
  const Json& notify = status["notify"];
  const std::string socket = value_text(notify, "socket");
  const std::string problem = value_text(notify, "problem");
  if (!is_true(notify, "serving")) {
    out << fmt::format("problem: no notifications on {} ({} failures): {}\n", socket,
                       value_text(notify, "failures"), problem);
    return;
  }
  out << fmt::format("notifications: {} by {} ({}){}\n", socket, value_text(notify, "backend"),
                     value_text(notify, "watches_by"),
                     is_true(notify, "stale") ? ", values are old: it does not answer" : "");
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
  const Json limits = notify.contains("limits") && notify["limits"].is_object() &&
                              notify["limits"].contains("user") &&
                              notify["limits"]["user"].is_object()
                          ? notify["limits"]["user"]
                          : Json::object();
  out << fmt::format(
      "  refused {}, expelled {}; limit of a user: registrations {}, connections {}\n",
      value_text(notify, "refused"), value_text(notify, "expelled"),
      value_text(limits, "registrations"), value_text(limits, "connections"));
}

std::string eviction_state_text(const Json& eviction) {
  const std::string not_killed = value_text(eviction, "not_killed");
  const bool spared = !not_killed.empty() && not_killed != kNothing;
  const std::string state = value_text(eviction, "state");
  if (is_true(eviction, "dry_run")) {
    return (spared ? "would not be killed: " + not_killed : dry_run_state_text(state)) +
           " (dry run)";
  }
  return spared ? "not killed: " + not_killed : state_text(state);
}

void print_evictions(const Json& status, std::ostream& out) {
  const Json& evictions = list_of(status, "evictions");
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
  for (const Json& problem : list_of(status, "problems")) {
    out << "problem: " << text_of_value(problem) << '\n';
  }
  if (status.contains("records") && is_true(status["records"], "in_memory_only")) {
    out << fmt::format("problem: records are kept in memory only ({} lost to the file): {}\n",
                       value_text(status["records"], "lost"),
                       value_text(status["records"], "problem"));
  }
  print_evictions(status, out);
}

}  // namespace evictd::cli
