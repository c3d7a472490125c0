// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.h"
#include "core/clock.h"
#include "notify/backend.h"
#include "notify/level_file.h"

namespace evictd::notify {

/// Reads the cgroups' files every tenth of a second, where no kernel program can be loaded. Misses
/// an excursion between two readings, and notices a removal at the next one.
class PollingBackend final : public Backend {
 public:
  /// `clock` is borrowed. Errors: those of creating a timer.
  [[nodiscard]] static Result<std::unique_ptr<PollingBackend>> create(const core::Clock& clock);

  [[nodiscard]] evictd_notify_backend kind() const override { return EVICTD_NOTIFY_POLLING; }
  [[nodiscard]] std::string name() const override { return "files, every 100ms"; }
  [[nodiscard]] std::uint32_t signals() const override;
  [[nodiscard]] Result<CgroupId> identify(int directory) const override;
  [[nodiscard]] Result<RowId> watch(const LevelKey& key, int directory,
                                    std::span<const std::uint64_t> edges,
                                    const RowId* replaced) override;
  void unwatch(RowId row) override;
  [[nodiscard]] bool is_behind(RowId /*row*/) const override { return false; }
  [[nodiscard]] std::uint64_t value(RowId row) const override;
  [[nodiscard]] int descriptor() const override { return timer_.descriptor(); }
  void drain(BackendSink& sink) override;
  [[nodiscard]] BackendCounters counters() const override { return {}; }

 private:
  struct Row {
    LevelKey key;
    LevelFiles files;
    std::vector<std::uint64_t> edges;
    std::uint64_t value = 0;
    std::uint32_t position = 0;
  };
  /// What watch() saw; the next drain() reports it.
  struct Begun {
    RowBegin begin;
    std::optional<RowMove> last;
  };

  PollingBackend(const core::Clock& clock, base::Timer timer)
      : clock_(clock), timer_(std::move(timer)) {}
  void read_rows(BackendSink& sink);
  void arm();

  const core::Clock& clock_;
  base::Timer timer_;
  std::map<RowId, Row> rows_;
  std::deque<Begun> begun_;
  RowId last_row_ = 0;
};

}  // namespace evictd::notify
