// SPDX-License-Identifier: Apache-2.0
#include "probe/attach_table.h"

namespace evictd::probe {
namespace {

constexpr std::array kOfTheNode = {Purpose::kNodeMemory, Purpose::kNodeAvailable};
/// What is looked at by thresholds or shown in rows.
constexpr std::array kWatching = {
    Purpose::kMemoryCharge, Purpose::kSweepTimer,    Purpose::kNodeMemory, Purpose::kNodeAvailable,
    Purpose::kTaskFork,     Purpose::kPerPageCharge, Purpose::kStall,
};

constexpr std::array kCore = {
    CoreProgram{"sweep_locate", kOfTheNode},  CoreProgram{"sweep_refresh", kWatching},
    CoreProgram{"sweep_resync", kWatching},   CoreProgram{"sweep_compare", kWatching},
    CoreProgram{"cgroup_resolve", kWatching},
};

constexpr std::array kTable = {
    AttachRow{Purpose::kMemoryCharge,
              "fentry",
              "fentry/page_counter_try_charge",
              {"memcg_charge_fentry"},
              ""},
    AttachRow{
        Purpose::kMemoryCharge,
        "kprobe",
        "kprobe/page_counter_try_charge",
        {"memcg_charge_kprobe"},
        "the timer is not kicked: a crossing may be seen one charge batch (256 KiB a CPU) late"},
    AttachRow{Purpose::kMemoryCharge,
              "tp_btf",
              "tp_btf/mod_memcg_state",
              {"memcg_state_tp"},
              "growth is seen once per 2 MiB; the timer covers the last 4 MiB below a threshold",
              "growth is seen once per 2 MiB; polling alone sees less",
              "growth is seen once per 16 pages of a CPU, by the hook of every page"},
    AttachRow{Purpose::kSweepTimer, "bpf_timer", "bpf_timer", {"sweep_start"}, ""},
    AttachRow{Purpose::kNodeMemory, "vm_stat", "sum of the nodes' vm_stat", {}, ""},
    AttachRow{
        Purpose::kNodeAvailable, "vm_stat", "sum of the nodes' and their zones' vm_stat", {}, ""},
    AttachRow{Purpose::kTaskFork, "tp_btf", "tp_btf/sched_process_fork", {"task_fork_tp"}, ""},
    AttachRow{Purpose::kTaskFork, "raw_tp", "raw_tp/sched_process_fork", {"task_fork_raw"}, ""},
    AttachRow{Purpose::kCgroups,
              "tp_btf",
              "tp_btf/cgroup_{mkdir,rmdir,notify_populated}",
              {"cgroup_mkdir_tp", "cgroup_rmdir_tp", "cgroup_populated_tp"},
              ""},
    AttachRow{Purpose::kCgroups,
              "raw_tp",
              "raw_tp/cgroup_{mkdir,rmdir,notify_populated}",
              {"cgroup_mkdir_raw", "cgroup_rmdir_raw", "cgroup_populated_raw"},
              ""},
    // Ends before beginnings: a stall whose end nobody saw would go on for ever.
    AttachRow{Purpose::kStall,
              "fentry",
              "fentry/psi_memstall_{enter,leave}",
              {"psi_leave_fentry", "psi_enter_fentry"},
              ""},
    AttachRow{
        Purpose::kStall,
        "tp_btf",
        "tp_btf/mm_vmscan_{memcg,direct}_reclaim_{begin,end}",
        {"reclaim_memcg_end_tp", "reclaim_direct_end_tp", "reclaim_memcg_begin_tp",
         "reclaim_direct_begin_tp"},
        "stall time is direct reclaim time; waiting for refaults and compaction is not counted"},
    AttachRow{Purpose::kOom, "tp_btf", "tp_btf/mark_victim", {"oom_victim_tp"}, ""},
    AttachRow{Purpose::kOom, "fentry", "fentry/mark_oom_victim", {"oom_victim_fentry"}, ""},
    AttachRow{Purpose::kOom,
              "tp_btf_pid",
              "tp_btf/mark_victim (pid)",
              {"oom_victim_pid_tp"},
              "an OOM victim is known by pid only; its pod is unknown if the process has exited"},
    AttachRow{Purpose::kPerPageCharge,
              "tp_btf",
              "tp_btf/mod_memcg_lruvec_state",
              {"memcg_lruvec_tp"},
              ""},
    // Forks last: a process is listed only once it can be signalled.
    AttachRow{Purpose::kBackstop,
              kFentryListed,
              "fentry/page_counter_try_charge, bpf_timer, bpf_send_signal_task",
              {"backstop_listed_start", "backstop_listed_fentry", "backstop_fork_tp"},
              ""},
    AttachRow{Purpose::kBackstop,
              kTpBtfListed,
              "tp_btf/mod_memcg_state, bpf_timer, bpf_send_signal_task",
              {"backstop_listed_start", "backstop_listed_tp", "backstop_fork_tp"},
              "the charge hook looks once per 2 MiB; a timer looks in between"},
    AttachRow{Purpose::kBackstop,
              "fentry",
              "fentry/page_counter_try_charge, bpf_timer, bpf_send_signal",
              {"backstop_start", "backstop_fentry"},
              "only the process that is running is killed without evictd"},
    AttachRow{
        Purpose::kBackstop,
        "tp_btf",
        "tp_btf/mod_memcg_state, bpf_timer, bpf_send_signal",
        {"backstop_start", "backstop_tp"},
        "only the process that is running is killed without evictd; the charge hook looks once "
        "per 2 MiB"},
};

std::string_view memory_charge_lost(OtherLooks others) {
  const bool ticks = others.timer == SweepTimer::kRuns;
  if (others.pages == PageHook::kRuns) {
    return ticks ? "memory thresholds are checked once per 16 pages of a CPU, by the hook of every "
                   "page; other charges are found by the timer"
                 : "memory thresholds are checked once per 16 pages of a CPU, by the hook of every "
                   "page; other charges are found by polling";
  }
  return ticks ? "memory thresholds are checked by the timer only, 10 times a second"
               : "memory thresholds are polled, more often when they are near";
}

}  // namespace

std::span<const AttachRow> attach_table() {
  return kTable;
}

std::span<const CoreProgram> core_programs() {
  return kCore;
}

std::string_view lost_with(const AttachRow& row, OtherLooks others) {
  if (others.pages == PageHook::kRuns && !row.lost_with_pages.empty()) {
    return row.lost_with_pages;
  }
  const bool without_timer = others.timer == SweepTimer::kNone && !row.lost_without_timer.empty();
  return without_timer ? row.lost_without_timer : row.lost;
}

std::string_view lost_without(Purpose purpose, OtherLooks others) {
  const bool ticks = others.timer == SweepTimer::kRuns;
  switch (purpose) {
    case Purpose::kMemoryCharge:
      return memory_charge_lost(others);
    case Purpose::kSweepTimer:
      return "thresholds are not checked between two charges but polled; no growth rates";
    case Purpose::kNodeMemory:
      return "node memory.available is polled";
    case Purpose::kNodeAvailable:
      return "node memory.available is only polled where memoryAvailableSource is memAvailable";
    case Purpose::kTaskFork:
      return ticks ? "pids thresholds are checked by the timer only, 10 times a second"
                   : "pids thresholds are polled, more often when they are near";
    case Purpose::kCgroups:
      return "new and removed pods are found by scanning";
    case Purpose::kStall:
      return "no stall time per pod";
    case Purpose::kOom:
      return "kills by the kernel's OOM killer are not seen";
    case Purpose::kPerPageCharge:
      return "single pages are not checked";
    case Purpose::kBackstop:
      return "nobody is killed before evictd gets the CPU";
  }
  return "";
}

}  // namespace evictd::probe
