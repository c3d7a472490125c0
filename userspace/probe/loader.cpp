// SPDX-License-Identifier: Apache-2.0
#include "probe/loader.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>

#include "base/regular_file.h"
#include "evictd/try.h"
#include "probe/features.h"
#include "probe/kernel_types.h"
#include "probe/ladder_search.h"
#include "probe/libbpf_log.h"
#include "probe/numa_nodes.h"
#include "probe/skeleton.h"
#include "probe/tracing_kind.h"

namespace evictd::probe {
namespace {

/// What one attempt came to: done, or the row or program that has to be given up, or the end.
struct Attempt {
  enum class Outcome { kLoaded, kRowFailed, kCoreFailed, kFailed } outcome = Outcome::kFailed;
  const AttachRow* row = nullptr;
  std::string program;
  std::string reason;
  Skeleton skeleton;
  std::vector<Link> links;
};

std::uint64_t nanoseconds(Duration duration) {
  return static_cast<std::uint64_t>(duration.count());
}

void set_read_only_data(evictd_bpf& skeleton, const Options& options, const KernelTypes& types) {
  const SweepOptions& sweep = options.sweep;
  auto& data = *skeleton.rodata;
  const auto page = static_cast<unsigned long>(::sysconf(_SC_PAGESIZE));
  data.cfg_page_shift = static_cast<std::uint32_t>(std::countr_zero(page));
  data.cfg_number_type = types.number_type;
  data.cfg_node_ids = node_ids();
  data.cfg_base_period_ns = nanoseconds(sweep.base_period);
  data.cfg_floor_ns = nanoseconds(sweep.floor);
  data.cfg_kick_window_ns = nanoseconds(sweep.kick_window);
  data.cfg_near_bytes = static_cast<std::uint64_t>(sweep.near_distance.value);
  data.cfg_rate_up = sweep.rate_up;
  data.cfg_rate_down = sweep.rate_down;
  data.cfg_fast_tick_interval_ns = 1'000'000'000ULL / sweep.fast_ticks_per_second;
  data.cfg_fast_tick_burst_ns = data.cfg_fast_tick_interval_ns * sweep.fast_tick_burst;
  data.cfg_stall_notice_ns = nanoseconds(options.stall_notice);
  data.cfg_stall_window_ns = nanoseconds(options.stall_window);
  data.cfg_approach_ns = nanoseconds(options.approach);
}

void set_maps(evictd_bpf& skeleton, const Options& options, const KernelTypes& types) {
  auto& maps = skeleton.maps;
  bpf_map__set_autocreate(maps.compared, !types.cgroup_iterators);
  bpf_map__set_max_entries(maps.events, options.ring_bytes);
  bpf_map__set_max_entries(maps.rows, options.max_slots);
  bpf_map__set_max_entries(maps.targets, options.max_slots);
  bpf_map__set_max_entries(maps.watches, options.max_watches);
  bpf_map__set_max_entries(maps.thresholds, options.max_thresholds);
  // A slot has two counters, each in a cgroup of its own on v1.
  bpf_map__set_max_entries(maps.counters, 2 * options.max_slots + options.max_watches);
  bpf_map__set_max_entries(maps.cgroups, 2 * options.max_slots + options.max_watches);
}

void select_programs(evictd_bpf& skeleton, const LadderSearch& search) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton.obj) {
    bpf_program__set_autoload(program, search.wants(bpf_program__name(program)));
  }
}

/// Both sets of programs have the same maps, variables and names: the skeleton serves for either.
Skeleton open_skeleton(const bpf_object_open_opts& options, const KernelTypes& types) {
  if (types.cgroup_iterators) {
    return Skeleton(evictd_bpf__open_opts(&options));
  }
  // As evictd_bpf__open_opts() does, with other instructions. It is given back by free().
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): libbpf does so.
  Skeleton skeleton(static_cast<evictd_bpf*>(std::calloc(1, sizeof(evictd_bpf))));
  if (!skeleton || evictd_bpf__create_skeleton(skeleton.get()) != 0) {
    return nullptr;
  }
  bpf_object_skeleton& description = *skeleton->skeleton;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): libbpf only reads it.
  description.data = const_cast<void*>(evictd_bounded_bpf__elf_bytes(&description.data_sz));
  if (bpf_object__open_skeleton(&description, &options) != 0) {
    return nullptr;
  }
  return skeleton;
}

bpf_program* find_program(const evictd_bpf& skeleton, std::string_view name) {
  return bpf_object__find_program_by_name(skeleton.obj, std::string(name).c_str());
}

/// Rows that need not be tried to know that they fail: each try costs a load of the whole object.
void reject_untried(LadderSearch& search, const KernelTypes& types) {
  if (!types.cgroup_iterators) {
    search.reject_all("bpf_timer", "not with the kernel programs for kernels before 6.1");
  }
  if (!has_kprobes("")) {
    search.reject_all("kprobe", "kprobes are not built into this kernel");
  }
  if (!types.signals_tasks) {
    for (const std::string_view row : {kFentryListed, kTpBtfListed}) {
      search.reject_all(row, "no bpf_send_signal_task, which came with 6.13");
    }
  }
  if (const std::string refusal = refusal_of(TracingKind::kFentry); !refusal.empty()) {
    search.reject_all("fentry", refusal);
    search.reject_all(kFentryListed, refusal);
  }
}

/// The same, by what one that was tried has failed for.
void reject_hopeless(LadderSearch& search, const AttachRow& failed, const std::string& reason) {
  if (failed.name.starts_with("fentry") &&
      reason.find("Operation not permitted") != std::string::npos) {
    search.reject_all("fentry", "as " + std::string(failed.hook) + ": " + reason);
    search.reject_all(kFentryListed, "as " + std::string(failed.hook) + ": " + reason);
  }
}

/// Why nothing is read of the node's memory; empty if it is.
std::string why_no_nodes(const evictd_bpf& skeleton) {
  const auto& data = *skeleton.bss;
  if (data.node.nodes != 0) {
    return "";
  }
  return data.nodes_found == 0
             ? "no memory cgroup leads to the NUMA nodes"
             : "only " + std::to_string(data.nodes_found) + " of " +
                   std::to_string(data.nodes_with_memory) + " NUMA nodes with memory can be read";
}

bool is_run_by_user_space(std::string_view program) {
  return program.ends_with("_start");
}

/// Puts one row to work. Empty: it works; else why not.
std::string activate(const AttachRow& row, evictd_bpf& skeleton, std::vector<Link>& links,
                     LibbpfLog& log) {
  if (row.purpose == Purpose::kNodeMemory) {
    return why_no_nodes(skeleton);
  }
  if (row.purpose == Purpose::kNodeAvailable) {
    if (std::string why = why_no_nodes(skeleton); !why.empty()) {
      return why;
    }
    return skeleton.bss->node.zones != 0 ? "" : "free pages of the nodes' zones are unreadable";
  }
  if (row.purpose == Purpose::kSweepTimer) {
    const Result<> started = run_program(bpf_program__fd(skeleton.progs.sweep_start));
    return started ? "" : started.error().message();
  }
  for (const std::string_view name : row.programs) {
    if (name.empty()) {
      break;
    }
    if (is_run_by_user_space(name)) {
      // Without a plan its timer ticks once.
      if (const Result<> run = run_program(bpf_program__fd(find_program(skeleton, name))); !run) {
        return run.error().message();
      }
      continue;
    }
    log.clear();
    Link link(bpf_program__attach(find_program(skeleton, name)));
    if (!link) {
      const Error error = fail_errno(errno, "attach " + std::string(name)).value();
      const std::string words = last_words(log.text());
      return words.empty() ? error.message() : words;
    }
    links.push_back(std::move(link));
  }
  return "";
}

Attempt attempt(const Options& options, const KernelTypes& types, const LadderSearch& search) {
  LibbpfLog log;
  Attempt result;
  bpf_object_open_opts open{};
  open.sz = sizeof(open);
  if (!options.custom_btf_path.empty()) {
    // libbpf would wait for the writer of a FIFO.
    if (const Result<base::Fd> btf = base::open_regular_file(options.custom_btf_path); !btf) {
      result.reason = btf.error().in("BTF").message();
      return result;
    }
    open.btf_custom_path = options.custom_btf_path.c_str();
  }
  result.skeleton = open_skeleton(open, types);
  if (!result.skeleton) {
    result.reason = "open the object: " + last_words(log.text());
    return result;
  }
  set_read_only_data(*result.skeleton, options, types);
  set_maps(*result.skeleton, options, types);
  select_programs(*result.skeleton, search);
  if (evictd_bpf__load(result.skeleton.get()) != 0) {
    result.program = failed_program(log.text());
    result.row = search.row_of(result.program);
    result.reason = last_words(log.text());
    result.outcome =
        result.row == nullptr ? Attempt::Outcome::kCoreFailed : Attempt::Outcome::kRowFailed;
    return result;
  }
  if (const Result<> located = locate_nodes(*result.skeleton); !located) {
    result.program = bpf_program__name(result.skeleton->progs.sweep_locate);
    result.reason = located.error().message();
    result.outcome = Attempt::Outcome::kCoreFailed;
    return result;
  }
  for (const AttachRow* row : search.current()) {
    result.reason = activate(*row, *result.skeleton, result.links, log);
    if (!result.reason.empty()) {
      result.row = row;
      result.outcome = Attempt::Outcome::kRowFailed;
      return result;
    }
  }
  result.outcome = Attempt::Outcome::kLoaded;
  return result;
}

void describe_machine(Ladder& ladder, const Options& options, const KernelTypes& types) {
  ladder.kernel = kernel_features("", options.custom_btf_path);
  ladder.kernel.push_back(types.programs());
  ladder.kernel.push_back(types.direct_reads());
  ladder.privileges = privileges(read_text("/proc/self/status"), own_limits());
}

/// The running kernel's, whatever BTF the programs are relocated by: the kernel looks it up.
KernelTypes types_for(const Options& options) {
  KernelTypes types = find_kernel_types("/sys/kernel/btf/vmlinux");
  types.cgroup_iterators = types.cgroup_iterators && !options.bounded_programs;
  types.signals_tasks = types.signals_tasks && types.cgroup_iterators;
  if (!options.direct_reads || !types.cgroup_iterators) {
    types.number_type = 0;
  }
  return types;
}

Result<> validate(const Options& options) {
  const SweepOptions& sweep = options.sweep;
  const auto page = static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE));
  if (!std::has_single_bit(options.ring_bytes) || options.ring_bytes < page) {
    return fail(Errc::kInvalid, "ring_bytes must be a power of two of at least one page");
  }
  if (options.max_slots == 0 || options.max_watches == 0 || options.max_thresholds == 0) {
    return fail(Errc::kInvalid, "max_slots, max_watches and max_thresholds must be above 0");
  }
  if (sweep.fast_ticks_per_second == 0 || sweep.rate_up == 0 || sweep.rate_down == 0 ||
      sweep.floor <= Duration{0} || sweep.base_period < sweep.floor) {
    return fail(Errc::kInvalid, "sweep rates and periods must be above 0, base_period >= floor");
  }
  return {};
}

}  // namespace

void SkeletonDeleter::operator()(evictd_bpf* skeleton) const {
  evictd_bpf__destroy(skeleton);
}

void LinkDeleter::operator()(bpf_link* link) const {
  bpf_link__destroy(link);
}

Result<> run_program(int program_fd) {
  bpf_test_run_opts run{};
  run.sz = sizeof(run);
  const int error = bpf_prog_test_run_opts(program_fd, &run);
  if (error != 0) {
    return fail_errno(-error, "run a kernel program");
  }
  if (run.retval != 0) {
    return fail_errno(-static_cast<int>(run.retval), "kernel program");
  }
  return {};
}

Result<> locate_nodes(evictd_bpf& skeleton) {
  const int program = bpf_program__fd(skeleton.progs.sweep_locate);
  if (program < 0) {
    return {};  // The kernel refused it: the node's memory is polled.
  }
  __atomic_store_n(&skeleton.bss->nodes_with_memory, nodes_with_memory(), __ATOMIC_RELAXED);
  return EVICTD_IN("find the nodes", run_program(program));
}

LoadOutcome load_programs(const Options& options) {
  LoadOutcome outcome;
  const KernelTypes types = types_for(options);
  describe_machine(outcome.ladder, options, types);
  const Result<> valid = validate(options);
  Result<LadderSearch> search = LadderSearch::create(options);
  if (!valid || !search) {
    outcome.error = valid ? search.error() : valid.error();
    outcome.ladder.failure = outcome.error->message();
    return outcome;
  }
  if (const Result<base::KernelClock> clock = base::KernelClock::learn("")) {
    outcome.clock = *clock;
  } else {
    // Events of an unknown time are worse than none.
    outcome.error = clock.error();
    outcome.ladder.failure = outcome.error->message();
    outcome.ladder.purposes = search->report(outcome.ladder.failure);
    return outcome;
  }
  reject_untried(*search, types);
  while (true) {
    Attempt tried = attempt(options, types, *search);
    if (tried.outcome == Attempt::Outcome::kRowFailed) {
      search->reject(*tried.row, tried.reason);
      reject_hopeless(*search, *tried.row, tried.reason);
      continue;
    }
    if (tried.outcome == Attempt::Outcome::kCoreFailed &&
        search->reject_core(tried.program, tried.reason)) {
      continue;
    }
    if (tried.outcome == Attempt::Outcome::kLoaded) {
      outcome.skeleton = std::move(tried.skeleton);
      outcome.links = std::move(tried.links);
    } else {
      outcome.ladder.failure = "no kernel program can be loaded: " + tried.reason;
      outcome.error = Error{.code = Errc::kUnsupported, .context = outcome.ladder.failure};
    }
    break;
  }
  outcome.ladder.purposes = search->report(outcome.ladder.failure);
  // The kernel's whole BTF was on the heap: give it back at once.
  ::malloc_trim(0);
  return outcome;
}

}  // namespace evictd::probe
