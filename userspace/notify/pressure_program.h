// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "evictd/abi/notify_pressure.h"
#include "evictd/result.h"
#include "notify/pressure_listeners.h"
#include "notify/ring_turn.h"

struct bpf_link;
struct evictd_pressure_bpf;
struct ring_buffer;

namespace evictd::notify {

/// The kernel program of bpf/notify_pressure.bpf.c. When the kernel closes a window of reclaim, it
/// reports the level and the cgroups upwards that have listeners.
class PressureProgram {
 public:
  /// Loads and attaches the first row that works: fentry, kprobe. Errors: kUnsupported with the
  /// last reason and sys_errno EOPNOTSUPP if none works.
  [[nodiscard]] static Result<std::unique_ptr<PressureProgram>> load();
  PressureProgram(const PressureProgram&) = delete;
  PressureProgram& operator=(const PressureProgram&) = delete;
  ~PressureProgram();

  /// "fentry/vmpressure_work_fn".
  [[nodiscard]] std::string hook() const { return hook_; }
  /// Tells the program the level now listened for at `cgroup`, and the number of cgroups in total.
  /// Errors: sys_errno ENOSPC.
  [[nodiscard]] Result<> update(CgroupId cgroup, const PressureListeners& listeners) const;

  /// Readable (EPOLLIN) when drain() has events.
  [[nodiscard]] int descriptor() const;
  /// Passes the events since the last call to `hear`, at most RingTurn::kRecords. Returns whether
  /// some were lost.
  bool drain(const std::function<void(const PressureEvent&)>& hear);
  [[nodiscard]] evictd_pressure_stats stats() const;

 private:
  struct SkeletonCloser {
    void operator()(evictd_pressure_bpf* skeleton) const;
  };
  struct LinkCloser {
    void operator()(bpf_link* link) const;
  };
  struct RingCloser {
    void operator()(ring_buffer* ring) const;
  };

  PressureProgram() = default;
  [[nodiscard]] std::string try_hook(const std::string& program);
  static int take(void* self, void* data, std::size_t size);

  // Members are destroyed in reverse order: the ring and the link before the program.
  std::unique_ptr<evictd_pressure_bpf, SkeletonCloser> skeleton_;
  std::unique_ptr<bpf_link, LinkCloser> link_;
  std::unique_ptr<ring_buffer, RingCloser> ring_;
  std::string hook_;
  const std::function<void(const PressureEvent&)>* hear_ = nullptr;
  std::uint64_t dropped_seen_ = 0;
  RingTurn turn_;
};

}  // namespace evictd::notify
