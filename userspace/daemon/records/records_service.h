// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/records/journal.h"
#include "daemon/records/pass_recorder.h"
#include "daemon/records/pass_rules.h"
#include "daemon/records/pass_watch.h"
#include "daemon/records/record_builder.h"
#include "daemon/records/record_store.h"
#include "daemon/service_context.h"
#include "daemon/shared/messages.h"
#include "daemon/state/adoption.h"
#include "enforce/actuator.h"
#include "eviction/threshold_table.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// Reports what evictd decided and saw: records, the journal, a recording, and the log lines of
/// passes and evictions. Thread rule: housekeeping only.
class RecordsService {
 public:
  /// The newest pass. The buffer belongs to the hot thread, which gets it back at the next pass.
  struct LastPass {
    /// nullptr before the first pass.
    std::unique_ptr<PassCopy> copy;
    PassTrigger trigger = PassTrigger::kRegular;
    MonoTime at{};
  };
  /// What other services know of a victim and of its pass.
  struct VictimFacts {
    const cluster::PodEntry* entry = nullptr;
    const disk::PodStorage* storage = nullptr;
    std::vector<ContainerSample> containers;
    std::vector<exporting::RecordedCollector> collectors;
  };

  /// `thresholds` are those in force; `publish` gets each line of the journal. Errors: those of the
  /// recording and of the journal.
  [[nodiscard]] static Result<std::unique_ptr<RecordsService>> create(
      const ServiceContext& context, eviction::ThresholdTable thresholds,
      std::function<void(std::string_view)> publish);
  RecordsService(const RecordsService&) = delete;
  RecordsService& operator=(const RecordsService&) = delete;
  ~RecordsService() = default;

  /// A new configuration is in force. Returns its generation.
  std::uint64_t use(eviction::ThresholdTable thresholds);
  /// Rules of a pass that arrives now; passes of earlier generations have all arrived.
  const PassRules::Rules& take_rules(std::uint64_t generation);
  [[nodiscard]] const PassRules::Rules& rules_of(std::uint64_t generation) const {
    return rules_.of(generation);
  }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  /// Records an eviction that began, and returns its record.
  const exporting::EvictionRecord& record_eviction(const PassDone& message, VictimFacts facts);
  const exporting::EvictionRecord& record_eviction(const LocalEvictionBegun& message);
  /// Continues the journal's record of an earlier evictd's eviction under its id; without one
  /// creates a record.
  void record_adopted(const SavedEviction& known, const Adoption& adoption, MonoTime now);
  /// Returns the record that the step belongs to; nullptr if there is none.
  const exporting::EvictionRecord* record_step(const EvictionStep& message);
  /// A victim's disk space was freed after its end was reported, or its memory was not freed in
  /// time (`left`): writes the record again with that.
  void record_release(CgroupId pod, std::optional<Bytes> left);
  /// Reports what a pass changed; `message` has a copy. `collectors` is their state when it
  /// decided.
  void report_pass(const PassDone& message, std::vector<exporting::RecordedCollector> collectors);
  /// Keeps the copy of a reported pass; returns the one before in `message`.
  void keep_pass(PassDone& message);
  /// `pod` is nullptr if it is not known.
  void report(const probe::OomKill& kill, std::string_view process, const HotPod* pod);
  void report(const probe::StallRising& stall, const HotPod* pod);
  /// Something works only in part, or as a whole again.
  void report_degraded(std::string_view what, bool degraded, const std::string& text);
  /// The object will be destroyed.
  void forget(const HotPod& pod);
  void forget(const HotStorage& storage);
  /// Reports whether the files take every line; call it once a second.
  void check(MonoTime now);
  /// Ends the recording.
  void stop();

  [[nodiscard]] RecordStore& store() { return store_; }
  [[nodiscard]] const RecordStore& store() const { return store_; }
  [[nodiscard]] Journal& journal() { return *journal_; }
  [[nodiscard]] const Journal& journal() const { return *journal_; }
  /// nullptr if passes are not recorded.
  [[nodiscard]] const PassRecorder* recorder() const { return recorder_ ? &*recorder_ : nullptr; }
  [[nodiscard]] const LastPass& last_pass() const { return last_pass_; }
  /// Node conditions as of the last pass.
  [[nodiscard]] eviction::ConditionSet conditions() const { return conditions_; }
  /// As last reported by the hot thread.
  [[nodiscard]] const enforce::ActuatorCounters& actuator() const { return actuator_; }

 private:
  RecordsService(const ServiceContext& context, std::function<void(std::string_view)> publish)
      : context_(context), publish_(std::move(publish)) {}
  [[nodiscard]] Result<> start();
  const exporting::EvictionRecord& add(exporting::EvictionRecord record, CgroupId pod);
  void write(const exporting::EvictionRecord& record, exporting::Durability durability);
  void write_cut(const exporting::EvictionRecord& escalation);
  void write_progress(const exporting::EvictionRecord& record, const EvictionStep& message);
  /// Logs the first victim whose growth could not be throttled in its grace period.
  void report_missing_bridge(const exporting::EvictionRecord& record);
  void report_brake(const PassCopy& copy);
  void report_signals(const PassCopy& copy);
  void report_conditions(eviction::ConditionSet conditions);
  void report_changes(const PassDone& message,
                      std::vector<exporting::RecordedCollector> collectors);

  const ServiceContext& context_;
  std::function<void(std::string_view)> publish_;
  PassRules rules_;
  std::uint64_t generation_ = 0;  ///< Number of the configuration in force.
  RecordStore store_;
  std::optional<Journal> journal_;
  std::optional<PassRecorder> recorder_;
  PassWatch pass_watch_;
  std::uint64_t watched_generation_ = 0;  ///< The generation in the newest pass reported.
  LastPass last_pass_;
  eviction::Reason brake_ = eviction::Reason::kNone;  ///< Of the last pass, as logged.
  eviction::ConditionSet conditions_;
  enforce::ActuatorCounters actuator_;
  bool reported_missing_bridge_ = false;
};

}  // namespace evictd::daemon
