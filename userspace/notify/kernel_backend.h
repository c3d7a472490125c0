// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "evictd/abi/notify_row.h"
#include "notify/backend.h"
#include "notify/edge_store.h"
#include "notify/loader.h"
#include "notify/ring_turn.h"

struct ring_buffer;

namespace evictd::notify {

/// Watches with the kernel programs of bpf/notify.bpf.c. The kernel's counters themselves report
/// crossings. None is lost while nobody reads, up to the capacity of the ring.
class KernelBackend final : public Backend {
 public:
  /// Errors: kUnsupported if this kernel or these privileges allow no row of attach_rows().
  [[nodiscard]] static Result<std::unique_ptr<KernelBackend>> create(const LoadOptions& options);
  KernelBackend(const KernelBackend&) = delete;
  KernelBackend& operator=(const KernelBackend&) = delete;
  ~KernelBackend() override;

  [[nodiscard]] evictd_notify_backend kind() const override { return EVICTD_NOTIFY_KERNEL; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::uint32_t signals() const override;
  [[nodiscard]] BackendRoom room() const override { return room_; }
  [[nodiscard]] Result<CgroupId> identify(int directory) const override;
  [[nodiscard]] Result<RowId> watch(const LevelKey& key, int directory,
                                    std::span<const std::uint64_t> edges,
                                    const RowId* replaced) override;
  void unwatch(RowId row) override;
  /// True for working sets: usage is current, but the kernel sums up inactive pages every 2 s.
  /// False for the root's, which come from the machine's own counters.
  [[nodiscard]] bool is_behind(RowId row) const override { return rows_[row].behind; }
  [[nodiscard]] std::uint64_t value(RowId row) const override;
  [[nodiscard]] int descriptor() const override;
  void drain(BackendSink& sink) override;
  [[nodiscard]] BackendCounters counters() const override { return counters_; }

  /// Every row of the ladder and why it was not chosen, for doctor.
  [[nodiscard]] const std::vector<probe::RowReport>& rows() const { return loaded_.rows; }
  /// Counters of the kernel programs, for tests and status.
  [[nodiscard]] evictd_notify_stats stats() const;

 private:
  struct Row {
    LevelKey key;
    EdgeRange edges;
    std::uint32_t generation = 0;
    /// Of the last record read.
    std::uint64_t moves = 0;
    std::uint32_t position = 0;
    /// Addresses of the counters that the row is attached to; 0 for none.
    std::array<std::uint64_t, 2> counters{};
    bool used = false;
    bool behind = false;
  };
  struct RingDeleter {
    void operator()(ring_buffer* ring) const;
  };

  KernelBackend(Loaded loaded, const LoadOptions& options);
  static int take(void* self, void* data, std::size_t size);
  void on_record(const evictd_notify_record& record, BackendSink& sink);
  void on_moved(const evictd_notify_record& record, BackendSink& sink);
  void on_switched(const evictd_notify_record& record, BackendSink& sink);
  void on_removed(CgroupId cgroup, std::uint32_t signals, BackendSink& sink);
  void resync(BackendSink& sink);
  [[nodiscard]] bool accept_moves(Row& row, std::uint64_t moves, bool& gap) const;

  [[nodiscard]] Result<evictd_notify_resolved> resolve(int directory) const;
  [[nodiscard]] Result<RowId> take_row();
  [[nodiscard]] Result<> write_row(RowId id, const evictd_notify_resolved& where,
                                   std::span<const std::uint64_t> edges);
  [[nodiscard]] Result<> attach_to_counters(RowId id) const;
  void take_down(RowId id) const;
  /// Counts one more row of the cgroup; forget() undoes it.
  [[nodiscard]] Result<> remember(const evictd_notify_resolved& where);
  void forget(CgroupId cgroup);
  void forget_all_of(CgroupId cgroup);
  [[nodiscard]] Result<> run(int program, std::uint32_t old_row, std::uint32_t next_row) const;
  void free_row(RowId id);
  void update_limits();

  // Members are destroyed in reverse order: the ring and the links before the programs.
  Loaded loaded_;
  std::unique_ptr<ring_buffer, RingDeleter> ring_;
  std::vector<Row> rows_;
  std::vector<RowId> free_;
  BackendRoom room_;
  EdgeStore edges_;
  /// Cgroups in notify_cgroups, with their number of rows.
  std::map<CgroupId, std::uint32_t> known_;
  std::uint64_t dropped_seen_ = 0;
  BackendCounters counters_;
  BackendSink* sink_ = nullptr;
  RingTurn turn_;
};

}  // namespace evictd::notify
