// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "daemon/records/recording_worker.h"
#include "daemon/shared/messages.h"
#include "eviction/pass_state.h"

namespace evictd::daemon {

/// Turns every pass that the hot thread sends into lines of a recording. Passes that the worker
/// does not take are counted. The next pass that it takes has their number and the state before it,
/// so that a recording continues after a gap. Thread rule: housekeeping only.
class PassRecorder {
 public:
  struct Counters {
    std::uint64_t passes = 0;
    std::uint64_t missed = 0;
  };

  /// Errors: those of RecordingWorker::start().
  [[nodiscard]] static Result<PassRecorder> create(const RecordingOptions& options,
                                                   const core::Clock& clock,
                                                   std::string_view version);

  /// `yaml` is the configuration of passes of that generation.
  void use_config(std::uint64_t generation, std::string yaml);
  /// `done` has a copy.
  void record(const PassDone& done);
  /// The pod will be destroyed.
  void forget(const HotPod* pod);
  /// Adds a line of the journal, except records, which the passes themselves contain.
  void add_journal_line(std::string_view journal_line);

  [[nodiscard]] const RecordingWorker& worker() const { return *worker_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] Counters counters() const { return counters_; }
  /// Returns the text to log, once, after the recording has ended by itself; else empty.
  [[nodiscard]] std::string check();
  /// Ends the recording and waits until the disk has it. Returns the text to log if the recording
  /// lacks its end and that was not reported; else empty.
  [[nodiscard]] std::string stop();

 private:
  PassRecorder() = default;
  [[nodiscard]] std::string header(std::string_view version) const;
  /// Returns the pod's number; adds the line that describes the pod to `lines` if it has no number
  /// yet.
  std::size_t number_of(const PassCopy::PodCopy& pod, std::string& lines);

  std::string file_;
  const core::Clock* clock_ = nullptr;
  std::unique_ptr<RecordingWorker> worker_;
  std::map<std::uint64_t, std::string> configs_;
  std::optional<std::uint64_t> written_generation_;
  struct Numbered {
    std::size_t number = 0;
    bool with_spec = false;
  };
  std::map<const HotPod*, Numbered> numbers_;
  std::size_t next_number_ = 0;
  /// Passes that the worker did not take.
  std::uint64_t missed_ = 0;
  std::optional<eviction::PassState> state_before_;
  std::optional<eviction::SuspendedPass> waiting_before_;
  Counters counters_;
  bool end_logged_ = false;
};

}  // namespace evictd::daemon
