// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/recording_worker.h"

#include <algorithm>
#include <utility>

#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// A frame is written once it has this much text, or its first line is this old. Larger frames
/// compress better; text outside a frame is lost if the daemon is killed.
constexpr std::size_t kFrameText = std::size_t{256} << 10U;
constexpr Duration kFrameAge = std::chrono::seconds(2);

/// A wait until a far end of the recording is cut.
constexpr Duration kMostWait = std::chrono::hours(1);

}  // namespace

RecordingWorker::RecordingWorker(RecordingOptions options, const core::Clock& clock,
                                 replay::RecordingFile file)
    : options_(std::move(options)),
      clock_(clock),
      file_(std::move(file)),
      started_at_(clock.now()) {}

Result<std::unique_ptr<RecordingWorker>> RecordingWorker::start(RecordingOptions options,
                                                                const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(replay::RecordingFile file, replay::RecordingFile::create(options.file));
  std::unique_ptr<RecordingWorker> worker(
      new RecordingWorker(std::move(options), clock, std::move(file)));
  EVICTD_TRY(worker->worker_.start("evictd-recorder", [&started = *worker] { started.run(); }));
  return worker;
}

bool RecordingWorker::write(std::string lines) {
  const std::uint64_t bytes = lines.size();
  return worker_.push(std::move(lines), bytes);
}

std::string RecordingWorker::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void RecordingWorker::run() {
  for (;;) {
    // Read before the queue, so that lines from before the end are written.
    const bool ending = worker_.ending();
    if (const std::optional<std::string> lines = worker_.next(time_to_wait())) {
      add(*lines);
      continue;
    }
    if (ending) {
      finish(kStopped);
      return;
    }
    if (!finished_ && options_.max_time && clock_.now() - started_at_ >= *options_.max_time) {
      finish("time");
    }
    if (unwritten_since_ && clock_.now() - *unwritten_since_ >= kFrameAge) {
      flush();
    }
  }
}

std::optional<Duration> RecordingWorker::time_to_wait() const {
  std::optional<Duration> wait;
  const MonoTime now = clock_.now();
  if (unwritten_since_) {
    wait = *unwritten_since_ + kFrameAge - now;
  }
  if (!finished_ && options_.max_time) {
    const Duration left = started_at_ + *options_.max_time - now;
    wait = wait ? std::min(*wait, left) : left;
  }
  return wait ? std::optional(std::min<Duration>(*wait, kMostWait)) : std::nullopt;
}

void RecordingWorker::add(const std::string& lines) {
  if (finished_) {
    return;
  }
  file_.add(lines);
  if (!unwritten_since_) {
    unwritten_since_ = clock_.now();
  }
  if (file_.unwritten() >= kFrameText) {
    flush();
  }
}

void RecordingWorker::flush() {
  unwritten_since_.reset();
  if (finished_) {
    return;
  }
  if (const Result<> flushed = file_.flush(); !flushed) {
    finished_ = true;
    const std::lock_guard lock(mutex_);
    ended_ = flushed.error().message();
    return;
  }
  bytes_.store(file_.size(), std::memory_order_relaxed);
  if (file_.size() >= static_cast<std::uint64_t>(options_.max_bytes.value)) {
    finish("size");
  }
}

void RecordingWorker::finish(const std::string& why) {
  if (finished_) {
    return;
  }
  file_.add(R"({"end":")" + why + "\"}\n");
  const Result<> flushed = file_.flush();
  finished_ = true;
  unwritten_since_.reset();
  bytes_.store(file_.size(), std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  ended_ = flushed ? why : flushed.error().message();
}

}  // namespace evictd::daemon
