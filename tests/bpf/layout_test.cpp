// SPDX-License-Identifier: Apache-2.0
// The shared structures as the compiled kernel programs have them (BTF) against the C++ view.
#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "evictd/abi/backstop.h"
#include "evictd/abi/notify_pressure.h"
#include "evictd/abi/notify_row.h"
#include "evictd/abi/table.h"
#include "evictd/abi/watch.h"

namespace {

struct Field {
  std::string name;
  std::size_t offset;
  std::size_t size;
};

struct Layout {
  std::string name;
  std::size_t size;
  std::vector<Field> fields;
};

#define FIELD(type, member)                               \
  Field {                                                 \
#member, offsetof(type, member), sizeof(type::member) \
  }

std::vector<Layout> cpp_layouts() {
  return {
      {"evictd_cgroup_key",
       sizeof(evictd_cgroup_key),
       {FIELD(evictd_cgroup_key, id), FIELD(evictd_cgroup_key, hierarchy),
        FIELD(evictd_cgroup_key, pad)}},
      {"evictd_event_header",
       sizeof(evictd_event_header),
       {FIELD(evictd_event_header, kind), FIELD(evictd_event_header, size),
        FIELD(evictd_event_header, ktime_ns)}},
      {"evictd_threshold_event",
       sizeof(evictd_threshold_event),
       {FIELD(evictd_threshold_event, header), FIELD(evictd_threshold_event, cgroup),
        FIELD(evictd_threshold_event, threshold_id), FIELD(evictd_threshold_event, value),
        FIELD(evictd_threshold_event, threshold_value), FIELD(evictd_threshold_event, signal),
        FIELD(evictd_threshold_event, above), FIELD(evictd_threshold_event, origin),
        FIELD(evictd_threshold_event, pad)}},
      {"evictd_stall_event",
       sizeof(evictd_stall_event),
       {FIELD(evictd_stall_event, header), FIELD(evictd_stall_event, slot),
        FIELD(evictd_stall_event, generation), FIELD(evictd_stall_event, stall_ns),
        FIELD(evictd_stall_event, window_ns), FIELD(evictd_stall_event, total_ns)}},
      {"evictd_cgroup_event",
       sizeof(evictd_cgroup_event),
       {FIELD(evictd_cgroup_event, header), FIELD(evictd_cgroup_event, cgroup),
        FIELD(evictd_cgroup_event, parent_id), FIELD(evictd_cgroup_event, root_id),
        FIELD(evictd_cgroup_event, change), FIELD(evictd_cgroup_event, depth),
        FIELD(evictd_cgroup_event, path_size), FIELD(evictd_cgroup_event, pad),
        FIELD(evictd_cgroup_event, path)}},
      {"evictd_oom_event",
       sizeof(evictd_oom_event),
       {FIELD(evictd_oom_event, header), FIELD(evictd_oom_event, memory),
        FIELD(evictd_oom_event, pid), FIELD(evictd_oom_event, slot),
        FIELD(evictd_oom_event, comm)}},
      {"evictd_approach_event",
       sizeof(evictd_approach_event),
       {FIELD(evictd_approach_event, header), FIELD(evictd_approach_event, cgroup),
        FIELD(evictd_approach_event, distance), FIELD(evictd_approach_event, rate),
        FIELD(evictd_approach_event, signal), FIELD(evictd_approach_event, cpu)}},
      {"evictd_row",
       sizeof(evictd_row),
       {FIELD(evictd_row, usage_bytes), FIELD(evictd_row, inactive_file_bytes),
        FIELD(evictd_row, limit_bytes), FIELD(evictd_row, tasks), FIELD(evictd_row, stall_ns),
        FIELD(evictd_row, rate_bytes_per_s), FIELD(evictd_row, working_set_rate_bytes_per_s),
        FIELD(evictd_row, ktime_ns), FIELD(evictd_row, generation), FIELD(evictd_row, flags)}},
      {"evictd_node",
       sizeof(evictd_node),
       {FIELD(evictd_node, usage_bytes), FIELD(evictd_node, inactive_file_bytes),
        FIELD(evictd_node, tasks), FIELD(evictd_node, ktime_ns), FIELD(evictd_node, at_hand_bytes),
        FIELD(evictd_node, nodes), FIELD(evictd_node, zones), FIELD(evictd_node, reserve_bytes),
        FIELD(evictd_node, reserve_rate), FIELD(evictd_node, reserve_last_rate),
        FIELD(evictd_node, reserve_from_bytes), FIELD(evictd_node, reserve_from_ktime_ns),
        FIELD(evictd_node, reserve_generation)}},
      {"evictd_guard",
       sizeof(evictd_guard),
       {FIELD(evictd_guard, min_pages), FIELD(evictd_guard, low_pages),
        FIELD(evictd_guard, swap_per_1024), FIELD(evictd_guard, horizon_ns),
        FIELD(evictd_guard, tight_horizon_ns), FIELD(evictd_guard, generation)}},
      {"evictd_contender",
       sizeof(evictd_contender),
       {FIELD(evictd_contender, exceeds_from), FIELD(evictd_contender, lead),
        FIELD(evictd_contender, memory_id), FIELD(evictd_contender, priority),
        FIELD(evictd_contender, slot)}},
      {"evictd_backstop_task",
       sizeof(evictd_backstop_task),
       {FIELD(evictd_backstop_task, start_ns), FIELD(evictd_backstop_task, pid),
        FIELD(evictd_backstop_task, result)}},
      {"evictd_backstop",
       sizeof(evictd_backstop),
       {FIELD(evictd_backstop, claim),          FIELD(evictd_backstop, expires_ktime_ns),
        FIELD(evictd_backstop, least_value),    FIELD(evictd_backstop, most_value),
        FIELD(evictd_backstop, from_value),     FIELD(evictd_backstop, from_ktime_ns),
        FIELD(evictd_backstop, least_rate),     FIELD(evictd_backstop, least_working_set),
        FIELD(evictd_backstop, cgroup_events),  FIELD(evictd_backstop, signal),
        FIELD(evictd_backstop, slot),           FIELD(evictd_backstop, pad),
        FIELD(evictd_backstop, rival_count),    FIELD(evictd_backstop, victim),
        FIELD(evictd_backstop, rivals),         FIELD(evictd_backstop, fired_ktime_ns),
        FIELD(evictd_backstop, fired_value),    FIELD(evictd_backstop, spared),
        FIELD(evictd_backstop, current_result), FIELD(evictd_backstop, current_pid),
        FIELD(evictd_backstop, task_count),     FIELD(evictd_backstop, tasks)}},
      {"evictd_stats",
       sizeof(evictd_stats),
       {FIELD(evictd_stats, emitted), FIELD(evictd_stats, dropped), FIELD(evictd_stats, ticks),
        FIELD(evictd_stats, fast_ticks), FIELD(evictd_stats, throttled),
        FIELD(evictd_stats, last_tick_ktime_ns), FIELD(evictd_stats, stale_rows),
        FIELD(evictd_stats, row_refreshes), FIELD(evictd_stats, dying_rows)}},
      {"evictd_cpu_stats",
       sizeof(evictd_cpu_stats),
       {FIELD(evictd_cpu_stats, charges), FIELD(evictd_cpu_stats, forks),
        FIELD(evictd_cpu_stats, kicks), FIELD(evictd_cpu_stats, pad)}},
      {"evictd_pace",
       sizeof(evictd_pace),
       {FIELD(evictd_pace, next_tick_ns), FIELD(evictd_pace, next_slow_ns),
        FIELD(evictd_pace, paid_until_ns), FIELD(evictd_pace, kicks), FIELD(evictd_pace, armed),
        FIELD(evictd_pace, initialised)}},
      {"evictd_schedule",
       sizeof(evictd_schedule),
       {FIELD(evictd_schedule, pace), FIELD(evictd_schedule, stall_until_ns),
        FIELD(evictd_schedule, rows_ktime_ns), FIELD(evictd_schedule, rows_charges),
        FIELD(evictd_schedule, slow_ticks), FIELD(evictd_schedule, hot)}},
      {"evictd_resolved",
       sizeof(evictd_resolved),
       {FIELD(evictd_resolved, cgroup), FIELD(evictd_resolved, memory_counter),
        FIELD(evictd_resolved, inactive_file), FIELD(evictd_resolved, pids_counter),
        FIELD(evictd_resolved, memory_serial), FIELD(evictd_resolved, pids_serial),
        FIELD(evictd_resolved, level), FIELD(evictd_resolved, pad)}},
      {"evictd_target",
       sizeof(evictd_target),
       {FIELD(evictd_target, memory_counter), FIELD(evictd_target, inactive_file),
        FIELD(evictd_target, memory_serial), FIELD(evictd_target, memory_id),
        FIELD(evictd_target, pids_counter), FIELD(evictd_target, pids_serial),
        FIELD(evictd_target, generation), FIELD(evictd_target, pad),
        FIELD(evictd_target, rate_ktime_ns), FIELD(evictd_target, rate_usage_bytes),
        FIELD(evictd_target, rate_working_set_bytes), FIELD(evictd_target, stall_ns),
        FIELD(evictd_target, stall_window_start_ns), FIELD(evictd_target, stall_window_total_ns),
        FIELD(evictd_target, stall_reported)}},
      {"evictd_threshold",
       sizeof(evictd_threshold),
       {FIELD(evictd_threshold, id), FIELD(evictd_threshold, value),
        FIELD(evictd_threshold, hysteresis), FIELD(evictd_threshold, state),
        FIELD(evictd_threshold, pad)}},
      {"evictd_watch",
       sizeof(evictd_watch),
       {FIELD(evictd_watch, cgroup), FIELD(evictd_watch, counter),
        FIELD(evictd_watch, inactive_file), FIELD(evictd_watch, signal), FIELD(evictd_watch, first),
        FIELD(evictd_watch, count), FIELD(evictd_watch, force), FIELD(evictd_watch, upper),
        FIELD(evictd_watch, lower), FIELD(evictd_watch, value), FIELD(evictd_watch, value_ktime_ns),
        FIELD(evictd_watch, rate), FIELD(evictd_watch, growth), FIELD(evictd_watch, kick_ktime_ns),
        FIELD(evictd_watch, busy), FIELD(evictd_watch, pad)}},
      {"evictd_counter",
       sizeof(evictd_counter),
       {FIELD(evictd_counter, slot), FIELD(evictd_counter, working_set_watch),
        FIELD(evictd_counter, usage_watch), FIELD(evictd_counter, tasks_watch)}},
      {"evictd_cgroup",
       sizeof(evictd_cgroup),
       {FIELD(evictd_cgroup, memory_counter), FIELD(evictd_cgroup, pids_counter)}},
  };
}

/// Those of the object of notifications.
std::vector<Layout> notify_layouts() {
  return {
      {"evictd_notify_resolved",
       sizeof(evictd_notify_resolved),
       {FIELD(evictd_notify_resolved, cgroup), FIELD(evictd_notify_resolved, memory_counter),
        FIELD(evictd_notify_resolved, swap_counter), FIELD(evictd_notify_resolved, inactive_file),
        FIELD(evictd_notify_resolved, pids_counter), FIELD(evictd_notify_resolved, level),
        FIELD(evictd_notify_resolved, pad)}},
      {"evictd_notify_row",
       sizeof(evictd_notify_row),
       {FIELD(evictd_notify_row, cgroup),        FIELD(evictd_notify_row, counter),
        FIELD(evictd_notify_row, second),        FIELD(evictd_notify_row, signal),
        FIELD(evictd_notify_row, unit),          FIELD(evictd_notify_row, machine),
        FIELD(evictd_notify_row, generation),    FIELD(evictd_notify_row, first),
        FIELD(evictd_notify_row, count),         FIELD(evictd_notify_row, state),
        FIELD(evictd_notify_row, busy),          FIELD(evictd_notify_row, again),
        FIELD(evictd_notify_row, position),      FIELD(evictd_notify_row, low),
        FIELD(evictd_notify_row, high),          FIELD(evictd_notify_row, moves),
        FIELD(evictd_notify_row, value),         FIELD(evictd_notify_row, value_ktime_ns),
        FIELD(evictd_notify_row, speed),         FIELD(evictd_notify_row, growth),
        FIELD(evictd_notify_row, rate),          FIELD(evictd_notify_row, rate_usage),
        FIELD(evictd_notify_row, rate_ktime_ns), FIELD(evictd_notify_row, kick_ktime_ns),
        FIELD(evictd_notify_row, looks)}},
      {"evictd_notify_counter",
       sizeof(evictd_notify_counter),
       {FIELD(evictd_notify_counter, rows)}},
      {"evictd_notify_cgroup",
       sizeof(evictd_notify_cgroup),
       {FIELD(evictd_notify_cgroup, memory_counter), FIELD(evictd_notify_cgroup, swap_counter),
        FIELD(evictd_notify_cgroup, pids_counter)}},
      {"evictd_notify_record",
       sizeof(evictd_notify_record),
       {FIELD(evictd_notify_record, kind), FIELD(evictd_notify_record, origin),
        FIELD(evictd_notify_record, ktime_ns), FIELD(evictd_notify_record, value),
        FIELD(evictd_notify_record, moves), FIELD(evictd_notify_record, cgroup),
        FIELD(evictd_notify_record, row), FIELD(evictd_notify_record, generation),
        FIELD(evictd_notify_record, from), FIELD(evictd_notify_record, to),
        FIELD(evictd_notify_record, replaced), FIELD(evictd_notify_record, position)}},
      {"evictd_notify_switch",
       sizeof(evictd_notify_switch),
       {FIELD(evictd_notify_switch, old), FIELD(evictd_notify_switch, next)}},
      {"evictd_notify_stats",
       sizeof(evictd_notify_stats),
       {FIELD(evictd_notify_stats, records), FIELD(evictd_notify_stats, dropped),
        FIELD(evictd_notify_stats, ticks), FIELD(evictd_notify_stats, fast_ticks),
        FIELD(evictd_notify_stats, throttled), FIELD(evictd_notify_stats, stale),
        FIELD(evictd_notify_stats, hints), FIELD(evictd_notify_stats, still),
        FIELD(evictd_notify_stats, lost_hints)}},
      {"evictd_notify_schedule",
       sizeof(evictd_notify_schedule),
       {FIELD(evictd_notify_schedule, pace), FIELD(evictd_notify_schedule, hints),
        FIELD(evictd_notify_schedule, hot)}},
  };
}

/// Those of the object of pressure.
std::vector<Layout> pressure_layouts() {
  return {
      {"evictd_pressure_cgroup",
       sizeof(evictd_pressure_cgroup),
       {FIELD(evictd_pressure_cgroup, lowest), FIELD(evictd_pressure_cgroup, pad)}},
      {"evictd_pressure_record",
       sizeof(evictd_pressure_record),
       {FIELD(evictd_pressure_record, ktime_ns), FIELD(evictd_pressure_record, window),
        FIELD(evictd_pressure_record, level), FIELD(evictd_pressure_record, hierarchy),
        FIELD(evictd_pressure_record, at_source), FIELD(evictd_pressure_record, count),
        FIELD(evictd_pressure_record, goes_on), FIELD(evictd_pressure_record, pad),
        FIELD(evictd_pressure_record, cgroups)}},
      {"evictd_pressure_stats",
       sizeof(evictd_pressure_stats),
       {FIELD(evictd_pressure_stats, windows), FIELD(evictd_pressure_stats, dropped)}},
  };
}

struct BtfDeleter {
  void operator()(btf* types) const { btf__free(types); }
};

Layout btf_layout(const btf* types, const std::string& name) {
  Layout layout{.name = name, .size = 0, .fields = {}};
  const int id = btf__find_by_name_kind(types, name.c_str(), BTF_KIND_STRUCT);
  if (id < 0) {
    return layout;
  }
  const btf_type* type = btf__type_by_id(types, static_cast<unsigned>(id));
  layout.size = type->size;
  const btf_member* members = btf_members(type);
  for (unsigned i = 0; i < btf_vlen(type); ++i) {
    layout.fields.push_back(
        {.name = btf__name_by_offset(types, members[i].name_off),
         .offset = btf_member_bit_offset(type, i) / 8,
         .size = static_cast<std::size_t>(btf__resolve_size(types, members[i].type))});
  }
  return layout;
}

void compare(const char* object, const std::vector<Layout>& layouts) {
  const std::unique_ptr<btf, BtfDeleter> types(btf__parse(object, nullptr));
  ASSERT_NE(types, nullptr) << object;
  for (const Layout& cpp : layouts) {
    const Layout kernel = btf_layout(types.get(), cpp.name);
    EXPECT_EQ(kernel.size, cpp.size) << cpp.name;
    ASSERT_EQ(kernel.fields.size(), cpp.fields.size()) << cpp.name;
    for (std::size_t i = 0; i < cpp.fields.size(); ++i) {
      EXPECT_EQ(kernel.fields[i].name, cpp.fields[i].name) << cpp.name;
      EXPECT_EQ(kernel.fields[i].offset, cpp.fields[i].offset) << cpp.name << cpp.fields[i].name;
      EXPECT_EQ(kernel.fields[i].size, cpp.fields[i].size) << cpp.name << cpp.fields[i].name;
    }
  }
}

TEST(Layout, IsTheSameInTheKernelProgramsAndInCpp) {
  compare(EVICTD_BPF_OBJECT, cpp_layouts());
}

TEST(Layout, IsTheSameInTheProgramsOfNotificationsAndInCpp) {
  compare(EVICTD_NOTIFY_OBJECT, notify_layouts());
}

TEST(Layout, IsTheSameInTheProgramOfPressureAndInCpp) {
  compare(EVICTD_PRESSURE_OBJECT, pressure_layouts());
}

}  // namespace
