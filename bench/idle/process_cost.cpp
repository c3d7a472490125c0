// SPDX-License-Identifier: Apache-2.0
#include "idle/process_cost.h"

#include <bpf/bpf.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <set>
#include <string>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

namespace fs = std::filesystem;

/// The number after "KEY:" and blanks at the start of a line; 0 if there is none.
std::int64_t field(const std::string& text, const std::string& key) {
  std::size_t at = text.starts_with(key) ? 0 : text.find("\n" + key);
  if (at == std::string::npos) {
    return 0;
  }
  at = text.find_first_of("0123456789", at);
  return stage::parse_number(std::string_view{text}.substr(at)).value_or(0);
}

Duration run_time_of(std::uint32_t program) {
  const base::Fd fd{::bpf_prog_get_fd_by_id(program)};
  bpf_prog_info info{};
  std::uint32_t length = sizeof(info);
  if (!fd || ::bpf_obj_get_info_by_fd(fd.get(), &info, &length) != 0) {
    return Duration{0};
  }
  return Duration{static_cast<Duration::rep>(info.run_time_ns)};
}

/// Adds the cost of the process's BPF programs and maps. Counts each one once, however often it is
/// open.
void add_held(const fs::path& process, ProcessCost& cost) {
  std::set<std::int64_t> programs;
  std::set<std::int64_t> maps;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fdinfo", ignored)) {
    const std::string text = stage::read_text(entry.path()).value_or(std::string{});
    if (const std::int64_t id = field(text, "prog_id:"); id > 0 && programs.insert(id).second) {
      cost.programs += run_time_of(static_cast<std::uint32_t>(id));
    }
    if (const std::int64_t id = field(text, "map_id:"); id > 0 && maps.insert(id).second) {
      cost.maps += Bytes{field(text, "memlock:")};
    }
  }
}

/// Run time of all threads of the process, including exited ones.
Result<Duration> run_time_of_threads(pid_t pid) {
  clockid_t clock{};
  timespec spent{};
  if (const int refused = ::clock_getcpuclockid(pid, &clock); refused != 0) {
    return fail_errno(refused, "find the clock of a process");
  }
  if (::clock_gettime(clock, &spent) != 0) {
    return fail_errno(errno, "read the clock of a process");
  }
  return Duration{std::chrono::seconds{spent.tv_sec}} + std::chrono::nanoseconds{spent.tv_nsec};
}

}  // namespace

Result<ProcessCost> cost_of(pid_t pid) {
  const fs::path process = fs::path{"/proc"} / std::to_string(pid);
  EVICTD_ASSIGN_OR_RETURN(const std::string status, stage::read_text(process / "status"));
  EVICTD_ASSIGN_OR_RETURN(const Duration cpu, run_time_of_threads(pid));
  ProcessCost cost;
  cost.cpu = cpu;
  cost.resident = Bytes{field(status, "VmRSS:") * 1024};
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator(process / "task", ignored)) {
    cost.sleeps += field(stage::read_text(task.path() / "status").value_or(std::string{}),
                         "voluntary_ctxt_switches:");
  }
  add_held(process, cost);
  return cost;
}

Result<RunTimeStatistics> RunTimeStatistics::enable() {
  base::Fd fd{::bpf_enable_stats(BPF_STATS_RUN_TIME)};
  if (!fd) {
    return fail_errno(errno, "enable BPF run-time statistics");
  }
  return RunTimeStatistics{std::move(fd)};
}

}  // namespace evictd::bench
