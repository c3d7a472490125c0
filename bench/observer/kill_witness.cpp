// SPDX-License-Identifier: Apache-2.0
#include "observer/kill_witness.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "bpf/kill_seen.h"
#include "evictd_bench_kill_witness.skel.h"

namespace evictd::bench {

void KillWitness::Destroy::operator()(evictd_bench_kill_witness* skeleton) const {
  evictd_bench_kill_witness__destroy(skeleton);
}

Result<KillWitness> KillWitness::create() {
  Skeleton skeleton{evictd_bench_kill_witness__open()};
  if (!skeleton) {
    return fail_errno(errno, "open the program of the witness of kills");
  }
  skeleton->rodata->own_tgid = static_cast<std::uint32_t>(::getpid());
  if (const int failed = evictd_bench_kill_witness__load(skeleton.get()); failed != 0) {
    return fail_errno(-failed, "load the program of the witness of kills");
  }
  if (const int failed = evictd_bench_kill_witness__attach(skeleton.get()); failed != 0) {
    return fail_errno(-failed, "attach the program of the witness of kills");
  }
  return KillWitness{std::move(skeleton)};
}

int KillWitness::map() const {
  return bpf_map__fd(skeleton_->maps.kills);
}

std::optional<KillsSeen> KillWitness::kills_of(std::uint64_t pod) const {
  evictd_bench_kill_seen seen{};
  // A pod whose first signal is being counted is looked at again.
  if (::bpf_map_lookup_elem(map(), &pod, &seen) != 0 || seen.count == 0) {
    return std::nullopt;
  }
  // The kernel ends the name with a zero.
  return KillsSeen{.count = seen.count,
                   .signal = static_cast<int>(seen.signal),
                   .sender = static_cast<pid_t>(seen.sender),
                   .program = static_cast<const char*>(seen.comm)};
}

void KillWitness::forget(std::uint64_t pod) {
  ::bpf_map_delete_elem(map(), &pod);
}

std::uint64_t KillWitness::missed() const {
  return skeleton_->bss->missed;
}

}  // namespace evictd::bench
