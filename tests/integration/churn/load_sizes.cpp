// SPDX-License-Identifier: Apache-2.0
#include "load_sizes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "evictd/try.h"
#include "stage/load_process.h"
#include "stage/text_file.h"

namespace evictd::churn {
namespace {

/// So many that what the kernel charges ahead counts for little.
constexpr std::int64_t kChildren = 64;
constexpr std::int64_t kMebibytes = 64;
/// Of a machine in trouble.
constexpr std::chrono::seconds kPatience{60};

Bytes with_a_quarter_more(std::int64_t bytes) {
  return Bytes{bytes + bytes / 4};
}

std::int64_t per_one_of(std::int64_t difference, std::int64_t count) {
  return (std::max<std::int64_t>(difference, 0) + count - 1) / count;
}

Result<std::int64_t> number_in(const std::filesystem::path& file) {
  const Result<std::string> text = stage::read_text(file);
  return text ? stage::parse_number(*text) : tl::unexpected(text.error());
}

Result<Charge> charge_of(const stage::PrivateTree& tree, const stage::StagedPod& pod) {
  const stage::Hierarchies& at = tree.hierarchies();
  const Result<std::int64_t> memory = number_in(at.memory / pod.pod / at.usage_file());
  const Result<std::int64_t> tasks = number_in(at.pids / pod.pod / "pids.current");
  if (!memory || !tasks) {
    return tl::unexpected(!memory ? memory.error() : tasks.error());
  }
  return Charge{Bytes{*memory}, *tasks};
}

/// Before it is let go, and once it holds its cap.
using BothCharges = std::pair<Charge, Charge>;

Result<BothCharges> run_load(const stage::PrivateTree& tree, const stage::StagedPod& pod,
                             const stage::LoadOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess process,
                          stage::LoadProcess::start(tree, pod, options));
  const Result<Charge> idle = charge_of(tree, pod);
  process.go();
  EVICTD_TRY(process.await_holding(kPatience));
  const Result<Charge> laden = charge_of(tree, pod);
  if (!idle || !laden) {
    return tl::unexpected(!idle ? idle.error() : laden.error());
  }
  return BothCharges{*idle, *laden};
}

Result<BothCharges> measure(stage::PrivateTree& tree, const stage::LoadOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(stage::StagedPod pod, tree.add_pod({.name = "measured"}));
  Result<BothCharges> charges = run_load(tree, pod, options);
  // Its children outlive it.
  Result<> gone = tree.kill_pod(pod);
  if (gone) {
    gone = tree.remove_pod(pod);
  }
  return charges && !gone ? tl::unexpected(gone.error()) : charges;
}

}  // namespace

LoadSizes sizes_from(const LoadCharges& charges) {
  const LoadSizes least;
  LoadSizes sizes;
  const Bytes idle = std::max(charges.idle.memory, charges.idle_before_memory.memory);
  const std::int64_t child =
      per_one_of(charges.forked.memory.value - charges.idle.memory.value, charges.children);
  const std::int64_t mebibyte = per_one_of(
      charges.allocated.memory.value - charges.idle_before_memory.memory.value, charges.mebibytes);
  sizes.program = std::max(least.program, with_a_quarter_more(idle.value));
  sizes.child = std::max(least.child, with_a_quarter_more(child));
  sizes.of_a_mebibyte = std::max(least.of_a_mebibyte, Bytes{mebibyte});
  sizes.program_tasks =
      std::max({least.program_tasks, charges.idle.tasks, charges.allocated.tasks});
  sizes.child_tasks = std::max(
      least.child_tasks, per_one_of(charges.forked.tasks - charges.idle.tasks, charges.children));
  return sizes;
}

Result<LoadSizes> measure_load(stage::PrivateTree& tree, const std::filesystem::path& evict_load,
                               const std::filesystem::path& directory) {
  stage::LoadOptions options{
      .binary = evict_load, .directory = directory, .kind = load::LoadKind::kForks};
  options.cap = kChildren;
  const Result<BothCharges> forks = measure(tree, options);
  options.kind = load::LoadKind::kMemory;
  options.cap = (1_MiB).value * kMebibytes;
  EVICTD_ASSIGN_OR_RETURN(const BothCharges memory, forks ? measure(tree, options) : forks);
  return sizes_from({.idle = forks->first,
                     .forked = forks->second,
                     .children = kChildren,
                     .idle_before_memory = memory.first,
                     .allocated = memory.second,
                     .mebibytes = kMebibytes});
}

}  // namespace evictd::churn
