// SPDX-License-Identifier: Apache-2.0
#include "web/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_members.h"
#include "web/kube_metrics.h"
#include "web/metric_list.h"

namespace evictd::web {

namespace {

using base::member_at;
using base::number_at;
using base::text_at;
using Json = nlohmann::ordered_json;

/// The unit of a signal's quantities: the last part of the metrics' names.
std::string unit_of(const std::string& signal) {
  if (signal.ends_with("inodesFree")) {
    return "inodes";
  }
  return signal.starts_with("pid.") ? "tasks" : "bytes";
}

void add_self(MetricList& list, const MetricSources& sources) {
  list.gauge("evictd_up", "Whether evictd answers evictd-web.", sources.status != nullptr ? 1 : 0);
  list.gauge("evictd_web_following", "Whether evictd-web follows evictd's journal.",
             sources.following ? 1 : 0);
  list.gauge("evictd_web_build_info", "A constant 1 with the version of evictd-web.", 1,
             {{"version", sources.version}});
  list.counter("evictd_web_rejected_connections_total",
               "Connections that evictd-web refused because too many were open.",
               static_cast<double>(sources.rejected_connections));
}

void add_build(MetricList& list, const Json& status) {
  list.gauge("evictd_build_info", "A constant 1, labelled with what runs.", 1,
             {{"version", text_at(status, "version")},
              {"node", text_at(status, "node")},
              {"compatibility", text_at(status, "compatibility")},
              {"event_source", text_at(status, "event_source")},
              {"cgroup_mode", text_at(status, "cgroup_mode")}});
  const std::optional<double> uptime_ms = number_at(status, "uptime_ms");
  list.gauge("evictd_uptime_seconds", "Time since evictd started.",
             uptime_ms ? std::optional(*uptime_ms / 1000) : std::nullopt);
  list.gauge("evictd_dry_run", "Whether evictd records decisions and sends no signals.",
             number_at(status, "dry_run"));
  list.gauge("evictd_realtime", "Whether the hot thread has real-time priority.",
             number_at(status, "realtime"));
  list.gauge("evictd_memory_locked", "Whether evictd's memory cannot be paged out.",
             number_at(status, "memory_locked"));
  list.gauge("evictd_reading_files",
             "Whether passes read cgroup files because the kernel side is missing or stalled.",
             number_at(status, "reading_files"));
  list.counter("evictd_process_cpu_seconds_total", "CPU time that evictd has used.",
               number_at(status, "process", "cpu_seconds"));
  list.gauge("evictd_process_resident_memory_bytes", "Resident memory of evictd.",
             number_at(status, "process", "resident_bytes"));
}

void add_signal(MetricList& list, const Json& signal) {
  const std::string name = text_at(signal, "signal");
  const std::string unit = unit_of(name);
  const Labels labels{{"signal", name}, {"kind", text_at(signal, "kind")}};
  const std::optional<double> available = number_at(signal, "available");
  const std::optional<double> limit = number_at(signal, "met_below");
  list.gauge("evictd_threshold_" + unit, "Less available than this meets the threshold.", limit,
             labels);
  list.gauge("evictd_threshold_distance_" + unit,
             "Available minus threshold; negative below the threshold.",
             available && limit ? std::optional(*available - *limit) : std::nullopt, labels);
  list.gauge("evictd_threshold_met", "Whether the threshold counted as met in the last pass.",
             number_at(signal, "met"), labels);
  const std::optional<double> time_ms = number_at(signal, "forecast", "time_to_threshold_ms");
  list.gauge("evictd_threshold_time_to_reach_seconds",
             "Time until the threshold is met at the present rate; no sample if not foreseen.",
             time_ms ? std::optional(*time_ms / 1000) : std::nullopt, labels);
}

void add_signals(MetricList& list, const Json& signals) {
  if (!signals.is_array()) {
    return;
  }
  std::map<std::string, bool> shown;
  for (const Json& signal : signals) {
    // A signal with a hard and a soft threshold is shown once.
    const std::string name = text_at(signal, "signal");
    if (!shown[name]) {
      shown[name] = true;
      const std::string unit = unit_of(name);
      list.gauge("evictd_signal_available_" + unit, "Available quantity of the signal.",
                 number_at(signal, "available"), {{"signal", name}});
      list.gauge("evictd_signal_capacity_" + unit, "Capacity of the signal's resource.",
                 number_at(signal, "capacity"), {{"signal", name}});
      list.gauge("evictd_signal_observed", "Whether the last pass observed the signal.",
                 number_at(signal, "observed"), {{"signal", name}});
      list.gauge("evictd_signal_fall_" + unit + "_per_second",
                 "How fast the available quantity falls; 0 if it does not.",
                 number_at(signal, "forecast", "rate"), {{"signal", name}});
    }
    add_signal(list, signal);
  }
}

void add_guard(MetricList& list, const Json& status) {
  list.gauge("evictd_oom_guard_armed",
             "Whether the OOM guard is on and a hard threshold of memory.available is configured.",
             number_at(status, "oom_guard", "armed"));
  list.gauge("evictd_oom_guard_left_bytes", "Memory that the kernel can still give.",
             number_at(status, "oom_guard", "left"));
  list.gauge("evictd_oom_guard_due_below_bytes", "The OOM guard acts when less than this is left.",
             number_at(status, "oom_guard", "due_below"));
  list.gauge("evictd_oom_guard_watched_by_kernel",
             "Whether the kernel side reports it; else passes and polling detect it.",
             number_at(status, "oom_guard", "watched_by_kernel"));
}

void add_conditions(MetricList& list, const Json& conditions) {
  if (!conditions.is_array()) {
    return;
  }
  for (const Json& condition : conditions) {
    list.gauge("evictd_node_condition", "Whether evictd reports this condition of the node.",
               number_at(condition, "status"), {{"type", text_at(condition, "type")}});
  }
}

void add_pod(MetricList& list, const Json& pod) {
  const Labels labels{{"namespace", text_at(pod, "namespace")},
                      {"pod", text_at(pod, "name")},
                      {"uid", text_at(pod, "uid")}};
  list.gauge("evictd_pod_memory_rank", "Rank of the pod for memory; 1 is evicted first.",
             number_at(pod, "memory_rank"), labels);
  list.gauge("evictd_pod_memory_working_set_bytes", "Usage of the pod minus inactive file cache.",
             number_at(pod, "working_set_bytes"), labels);
  list.gauge("evictd_pod_memory_request_bytes", "Memory request of the pod.",
             number_at(pod, "memory_request_bytes"), labels);
  list.gauge("evictd_pod_memory_growth_bytes_per_second", "Growth of the pod's memory usage.",
             number_at(pod, "rate_bytes_per_second"), labels);
  list.gauge("evictd_pod_tasks", "Tasks of the pod.", number_at(pod, "tasks"), labels);
}

void add_pods(MetricList& list, const Json& pods, std::size_t shown) {
  if (!pods.is_array()) {
    return;
  }
  // Every state is always present, so that an alert rule finds it.
  std::map<std::string, std::uint64_t> states{{"active", 0},  {"not_yet_read", 0},
                                              {"unknown", 0}, {"terminated", 0},
                                              {"empty", 0},   {"no_cgroup", 0}};
  std::vector<const Json*> ranked;
  for (const Json& pod : pods) {
    ++states[text_at(pod, "state")];
    if (number_at(pod, "memory_rank").value_or(0) > 0) {
      ranked.push_back(&pod);
    }
  }
  for (const auto& [state, count] : states) {
    list.gauge("evictd_pods", "Pods by state.", static_cast<double>(count), {{"state", state}});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Json* a, const Json* b) {
    return number_at(*a, "memory_rank") < number_at(*b, "memory_rank");
  });
  for (std::size_t i = 0; i < std::min(shown, ranked.size()); ++i) {
    add_pod(list, *ranked[i]);
  }
}

void add_hooks(MetricList& list, const Json& hooks) {
  if (!hooks.is_object()) {
    return;
  }
  for (const auto& [purpose, row] : hooks.items()) {
    list.gauge("evictd_hook_info", "A constant 1 with the hook in use for each purpose.", 1,
               {{"purpose", purpose}, {"row", row.is_string() ? row.get<std::string>() : ""}});
  }
}

void add_kernel(MetricList& list, const Json& kernel) {
  list.counters_of("evictd_kernel_events_emitted_total", "Records that kernel programs emitted.",
                   member_at(kernel, "emitted"), "kind");
  list.counters_of("evictd_kernel_events_delivered_total", "Kernel records that evictd read.",
                   member_at(kernel, "delivered"), "kind");
  list.counters_of("evictd_kernel_events_dropped_total",
                   "Kernel records that found the ring buffer full.", member_at(kernel, "dropped"),
                   "kind");
  list.counter("evictd_kernel_recursion_misses_total",
               "Skipped runs of kernel programs: another one was running.",
               number_at(kernel, "recursion_misses"));
  list.counter("evictd_kernel_timer_ticks_total", "Ticks of the kernel side's timer.",
               number_at(kernel, "ticks"));
  list.counter("evictd_kernel_timer_fast_ticks_total", "Fast ticks, while a threshold is near.",
               number_at(kernel, "fast_ticks"));
  list.gauge("evictd_kernel_timer_stalled", "Whether the kernel side's timer has stalled.",
             number_at(kernel, "timer_stalled"));
  list.counter("evictd_kernel_stale_rows_total",
               "Rows whose counter no longer belonged to their cgroup.",
               number_at(kernel, "stale_rows"));
}

void add_backstop(MetricList& list, const Json& backstop) {
  list.counter("evictd_backstop_armed_total", "Plans of a kill that the kernel side was given.",
               number_at(backstop, "armed"));
  list.counter("evictd_backstop_fired_total", "Kills that the kernel side did before evictd.",
               number_at(backstop, "fired"));
  list.counter("evictd_backstop_taken_total", "Plans that evictd took back in time.",
               number_at(backstop, "taken"));
  list.counter("evictd_backstop_expired_total", "Plans that ended unused.",
               number_at(backstop, "expired"));
  list.counters_of("evictd_backstop_spared_total",
                   "Plans not carried out although their level was reached, by the last reason.",
                   member_at(backstop, "spared"), "reason");
}

void add_counters(MetricList& list, const Json& counters) {
  list.counters_of("evictd_passes_total", "Passes by trigger.", member_at(counters, "passes"),
                   "trigger");
  list.counter("evictd_evictions_begun_total", "Evictions started, including dry runs.",
               number_at(counters, "evictions"));
  list.counter("evictd_evictions_not_begun_total",
               "Decisions that could not be carried out: the pod was gone or is protected.",
               number_at(counters, "not_begun"));
  list.counter("evictd_kernel_oom_kills_total", "Kills by the kernel's OOM killer on this node.",
               number_at(counters, "kernel_oom_kills"));
  list.counter("evictd_kernel_records_lost_total",
               "Kernel records that were lost; each loss is followed by a resync.",
               number_at(counters, "lost_records"));
  list.counter("evictd_resyncs_total", "Resyncs: every threshold was reported again.",
               number_at(counters, "resyncs"));
  list.counter("evictd_messages_lost_total", "Messages between evictd's threads that were lost.",
               number_at(counters, "lost_messages"));
  list.counter("evictd_unscanned_passes_total", "Passes that chose without a fresh list of pods.",
               number_at(counters, "unscanned_passes"));
  list.counter("evictd_realtime_overruns_total",
               "Times that the hot thread lost its real-time priority.",
               number_at(counters, "realtime_overruns"));
  list.counter("evictd_cross_checks_total", "Comparisons of the kernel side with the files.",
               number_at(counters, "cross_checks"));
  list.counter("evictd_cross_check_disagreements_total",
               "Comparisons that found the kernel side wrong.",
               number_at(counters, "cross_check_disagreements"));
  list.counter("evictd_sigterms_total", "SIGTERMs sent to processes.",
               number_at(counters, "actuator", "sigterms"));
  list.counter("evictd_sigkills_total", "SIGKILLs sent to processes and cgroups.",
               number_at(counters, "actuator", "sigkills"));
  list.counter("evictd_exceeded_grace_total", "Victims that did not exit in time.",
               number_at(counters, "actuator", "exceeded_grace_period"));
  list.counters_of("evictd_refused_signals_total", "Signals refused because the pod is protected.",
                   member_at(counters, "actuator", "refused"), "protection");
  list.counter("evictd_bridges_total", "Victims whose growth was throttled in their grace period.",
               number_at(counters, "actuator", "bridges_set"));
  list.counters_of("evictd_bridges_not_set_total",
                   "Victims whose growth could not be throttled in their grace period.",
                   member_at(counters, "actuator", "bridges_not_set"), "reason");
  add_kernel(list, member_at(counters, "kernel"));
  add_backstop(list, member_at(counters, "backstop"));
}

void add_brakes(MetricList& list, const Json& brakes) {
  const std::string on = text_at(brakes, "on");
  list.gauge("evictd_brake_on", "Whether a brake held the last pass.", on.empty() ? 0 : 1);
  list.counters_of("evictd_held_passes_total", "Passes that a brake held.",
                   member_at(brakes, "held_passes"), "brake");
  const Json& pauses = member_at(brakes, "pauses");
  list.gauge("evictd_pauses", "Pauses in force.",
             pauses.is_array() ? std::optional(static_cast<double>(pauses.size())) : std::nullopt);
}

void add_records(MetricList& list, const Json& records) {
  list.counter("evictd_records_written_total", "Lines written to the record file.",
               number_at(records, "written"));
  list.counter("evictd_records_lost_total", "Lines missing from the record file.",
               number_at(records, "lost"));
}

void add_history(MetricList& list, const EvictionHistory& history) {
  for (const auto& [signal, count] : history.evictions()) {
    list.untyped("kubelet_evictions",
                 "Cumulative number of pod evictions by eviction signal, a counter under the "
                 "kubelet's name.",
                 static_cast<double>(count), {{"eviction_signal", signal}});
  }
  for (const auto& [signal, ages] : history.reading_age()) {
    list.histogram("kubelet_eviction_stats_age_seconds",
                   "Time from the reading of a signal to the eviction that was based on it.", ages,
                   {{"eviction_signal", signal}});
  }
  list.histogram("evictd_detection_to_wake_seconds",
                 "From the kernel side's detection of a crossing to the hot thread's wake.",
                 history.interval(Interval::kWake));
  list.histogram("evictd_detection_to_decision_seconds",
                 "From the kernel side's detection to the choice of the victim.",
                 history.interval(Interval::kDecision));
  list.histogram("evictd_detection_to_signal_seconds",
                 "From the kernel side's detection to the return of the first signal.",
                 history.interval(Interval::kSignal));
  list.histogram("evictd_detection_to_exit_seconds",
                 "From the kernel side's detection to the end of the victim's last process.",
                 history.interval(Interval::kExit));
  list.histogram("evictd_detection_to_freed_seconds",
                 "From the kernel side's detection until the victim's memory was free.",
                 history.interval(Interval::kFreed));
  list.histogram("evictd_past_threshold_bytes",
                 "Memory past its threshold when the victim was chosen.", history.past_threshold());
  list.histogram("evictd_grace_given_seconds", "Grace periods granted to victims.",
                 history.grace_given());
  list.histogram("evictd_grace_wanted_seconds",
                 "Grace periods that victims would have had with enough time.",
                 history.grace_wanted());
}

}  // namespace

std::vector<prometheus::MetricFamily> make_metrics(const MetricSources& sources) {
  MetricList list;
  add_self(list, sources);
  if (sources.status != nullptr) {
    const Json& status = *sources.status;
    add_build(list, status);
    add_signals(list, member_at(status, "signals"));
    add_guard(list, status);
    add_conditions(list, member_at(status, "conditions"));
    add_pods(list, member_at(status, "pods"), sources.pods);
    add_hooks(list, member_at(status, "hooks"));
    add_counters(list, member_at(status, "counters"));
    add_brakes(list, member_at(status, "brakes"));
    add_records(list, member_at(status, "records"));
  }
  if (sources.asks_kube) {
    add_kube(list, sources.kube_status);
  }
  if (sources.history != nullptr) {
    add_history(list, *sources.history);
  }
  return list.take();
}

std::string exposition(const std::vector<prometheus::MetricFamily>& families) {
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace evictd::web
