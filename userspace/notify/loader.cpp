// SPDX-License-Identifier: Apache-2.0
#include "notify/loader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/fd.h"
#include "notify/skeleton.h"
#include "probe/features.h"
#include "probe/libbpf_log.h"
#include "probe/numa_nodes.h"
#include "probe/tracing_kind.h"

namespace evictd::notify {
namespace {

constexpr std::array kRows = {
    AttachRow{
        .name = "fexit",
        .hook = "fexit/page_counter_{try_charge,charge,uncharge}",
        .programs = {"notify_try_charge_fexit", "notify_charge_fexit", "notify_uncharge_fexit"},
        .lost = "",
        .sees_uncharge = true},
    AttachRow{
        .name = "kprobe",
        .hook = "kprobe/page_counter_{try_charge,charge,uncharge}",
        .programs = {"notify_try_charge_kprobe", "notify_charge_kprobe", "notify_uncharge_kprobe"},
        .lost = "the last charge batch (256 KiB a CPU) is seen with the next one, or 0.1 s late",
        .sees_uncharge = true},
    AttachRow{.name = "tp_btf",
              .hook = "tp_btf/mod_memcg_state",
              .programs = {"notify_state_tp"},
              .lost = "growth is seen once per 2 MiB, and by a timer for the last 4 MiB below a "
                      "threshold; memory that a quiet process gives back is seen up to 0.1 s late",
              .needs_ticks = true},
};

/// Needed in addition to the row of kRows.
constexpr std::array kAlways = {
    std::string_view{"notify_exit_tp"},
    std::string_view{"notify_fork_tp"},
    std::string_view{"notify_free_tp"},
    std::string_view{"notify_rmdir_tp"},
};

constexpr std::array kRunByUs = {
    std::string_view{"notify_locate"}, std::string_view{"notify_start_timer"},
    std::string_view{"notify_begin"},  std::string_view{"notify_switch"},
    std::string_view{"notify_end"},    std::string_view{"notify_resolve"},
};

template <typename Names>
bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void set_up(evictd_notify_bpf& skeleton, const LoadOptions& options, const AttachRow& row) {
  auto& data = *skeleton.rodata;
  const auto page = static_cast<unsigned long>(::sysconf(_SC_PAGESIZE));
  data.cfg_page_shift = static_cast<std::uint32_t>(std::countr_zero(page));
  data.cfg_node_ids = probe::node_ids();
  data.cfg_sees_uncharge = row.sees_uncharge ? 1 : 0;
  data.cfg_needs_ticks = row.needs_ticks ? 1 : 0;
  bpf_map__set_max_entries(skeleton.maps.notify_records, options.ring_bytes);
  bpf_map__set_max_entries(skeleton.maps.notify_rows, options.max_rows);
  bpf_map__set_max_entries(skeleton.maps.notify_edges, options.max_edges);
  // A row is attached to two counters at most.
  bpf_map__set_max_entries(skeleton.maps.notify_counters, options.max_rows * 2);
  bpf_map__set_max_entries(skeleton.maps.notify_cgroups, options.max_rows);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton.obj) {
    const std::string_view name = bpf_program__name(program);
    bpf_program__set_autoload(program,
                              has(row.programs, name) || has(kAlways, name) || has(kRunByUs, name));
  }
}

/// `error` if it reports an exhausted resource that may become available later, else 0.
int shortage_of(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM ? error : 0;
}

/// Why it cannot be attached; empty if it can.
std::string attach(std::string_view name, Loaded& loaded, probe::LibbpfLog& log) {
  log.clear();
  Link link(bpf_program__attach(
      bpf_object__find_program_by_name(loaded.skeleton->obj, std::string(name).c_str())));
  if (!link) {
    const Error error = fail_errno(errno, "attach " + std::string(name)).value();
    loaded.shortage = shortage_of(error.sys_errno);
    const std::string words = probe::last_words(log.text());
    return words.empty() ? error.message() : words;
  }
  loaded.links.push_back(std::move(link));
  return "";
}

/// Why `row` does not work; empty if it works.
std::string try_row(const LoadOptions& options, const AttachRow& row, Loaded& loaded) {
  probe::LibbpfLog log;
  loaded.links.clear();
  loaded.skeleton.reset(evictd_notify_bpf__open());
  if (!loaded.skeleton) {
    loaded.shortage = shortage_of(errno);
    return "open the object: " + probe::last_words(log.text());
  }
  set_up(*loaded.skeleton, options, row);
  if (const int error = evictd_notify_bpf__load(loaded.skeleton.get()); error != 0) {
    // Not EACCES, which the verifier uses.
    loaded.is_forbidden = error == -EPERM;
    loaded.shortage = shortage_of(-error);
    return probe::last_words(log.text());
  }
  bpf_test_run_opts run{};
  run.sz = sizeof(run);
  if (bpf_prog_test_run_opts(bpf_program__fd(loaded.skeleton->progs.notify_locate), &run) != 0) {
    loaded.shortage = shortage_of(errno);
    return "run a kernel program: " + probe::last_words(log.text());
  }
  if (const std::uint32_t nodes = probe::nodes_with_memory(); run.retval < nodes) {
    return fmt::format("only {} of {} NUMA nodes with memory can be read", run.retval, nodes);
  }
  for (const std::string_view name : kAlways) {
    if (std::string why = attach(name, loaded, log); !why.empty()) {
      return why;
    }
  }
  for (const std::string_view name : row.programs) {
    if (name.empty()) {
      break;
    }
    if (std::string why = attach(name, loaded, log); !why.empty()) {
      return why;
    }
  }
  return "";
}

/// EMFILE if loading could run out of descriptors, else 0: libbpf then takes a failed feature probe
/// for a missing kernel feature.
int lack_of_descriptors() {
  // Maps, programs, links and BTF need about forty.
  constexpr std::size_t kEnough = 64;
  const base::Fd any(::epoll_create1(EPOLL_CLOEXEC));
  std::vector<base::Fd> taken;
  taken.reserve(kEnough);
  while (taken.size() < kEnough) {
    base::Fd next(::fcntl(any.get(), F_DUPFD_CLOEXEC, 0));
    if (!next) {
      return EMFILE;
    }
    taken.push_back(std::move(next));
  }
  return 0;
}

/// A row that is known to fail without a try.
std::string reason_to_skip(const LoadOptions& options, const AttachRow& row, Loaded& loaded) {
  if (!options.pin.empty() && options.pin != row.name) {
    return "not tried: " + options.pin + " is pinned";
  }
  if (row.name == "kprobe" && !probe::has_kprobes("")) {
    return "kprobes are not built into this kernel";
  }
  loaded.shortage = lack_of_descriptors();
  if (loaded.shortage != 0) {
    return "too few descriptors are left to load a kernel program";
  }
  if (row.name == "fexit") {
    std::string refusal = probe::refusal_of(probe::TracingKind::kFexit);
    loaded.is_forbidden = !refusal.empty();
    return refusal;
  }
  return "";
}

}  // namespace

std::span<const AttachRow> attach_rows() {
  return kRows;
}

void SkeletonDeleter::operator()(evictd_notify_bpf* skeleton) const {
  evictd_notify_bpf__destroy(skeleton);
}

void LinkDeleter::operator()(bpf_link* link) const {
  bpf_link__destroy(link);
}

Loaded load(const LoadOptions& options) {
  Loaded loaded;
  std::string why;
  for (const AttachRow& row : kRows) {
    probe::RowReport& report =
        loaded.rows.emplace_back(probe::RowReport{.row = std::string(row.name),
                                                  .hook = std::string(row.hook),
                                                  .chosen = false,
                                                  .reason = ""});
    if (loaded.row != nullptr) {
      continue;
    }
    report.reason = reason_to_skip(options, row, loaded);
    if (report.reason.empty()) {
      report.reason = try_row(options, row, loaded);
      report.chosen = report.reason.empty();
    }
    // If a pinned row excludes the others, its own reason is the relevant one.
    if (options.pin.empty() || options.pin == "none" || options.pin == row.name) {
      why = report.reason;
    }
    if (report.chosen) {
      loaded.row = &row;
    }
  }
  if (loaded.row == nullptr) {
    loaded.links.clear();
    loaded.skeleton.reset();
    why = "no kernel program can be loaded: " + why;
    loaded.error = loaded.shortage != 0
                       ? fail_errno(loaded.shortage, why).value()
                       : Error{.code = loaded.is_forbidden ? Errc::kPermission : Errc::kUnsupported,
                               .sys_errno = loaded.is_forbidden ? EPERM : EOPNOTSUPP,
                               .context = why};
  }
  // The kernel's whole BTF was on the heap: returns that memory at once.
  ::malloc_trim(0);
  return loaded;
}

}  // namespace evictd::notify
