// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/recording_worker.h"

#include <poll.h>

#include <algorithm>

#include "evictd/try.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

namespace {

/// A frame is written once it has this much text, or its first line is this old. Larger frames
/// compress better; text outside a frame is lost if the daemon is killed.
constexpr std::size_t kFrameText = std::size_t{256} << 10U;
constexpr Duration kFrameAge = std::chrono::seconds(2);

}  // namespace

RecordingWorker::RecordingWorker(RecordingOptions options, const core::Clock& clock,
                                 base::WakeUp wake_up, replay::RecordingFile file)
    : options_(std::move(options)),
      clock_(clock),
      wake_up_(std::move(wake_up)),
      file_(std::move(file)),
      started_at_(clock.now()) {}

Result<std::unique_ptr<RecordingWorker>> RecordingWorker::start(RecordingOptions options,
                                                                const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp wake_up, base::WakeUp::create());
  EVICTD_ASSIGN_OR_RETURN(replay::RecordingFile file, replay::RecordingFile::create(options.file));
  std::unique_ptr<RecordingWorker> worker(
      new RecordingWorker(std::move(options), clock, std::move(wake_up), std::move(file)));
  worker->thread_ = std::thread([&started = *worker] {
    sys::name_thread("evictd-recorder");
    started.run();
  });
  return worker;
}

RecordingWorker::~RecordingWorker() {
  stop();
}

void RecordingWorker::stop() {
  stop_.store(true, std::memory_order_release);
  wake_up_.signal();
  if (thread_.joinable()) {
    thread_.join();
  }
}

bool RecordingWorker::write(std::string lines) {
  const std::uint64_t bytes = lines.size();
  if (waiting_bytes_.load(std::memory_order_relaxed) + bytes > kMostBytes) {
    return false;
  }
  waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (!queue_.push(std::move(lines))) {
    waiting_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  wake_up_.signal();
  return true;
}

std::string RecordingWorker::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void RecordingWorker::run() {
  for (;;) {
    // Read before the queue, so that lines from before the stop are written.
    const bool stopping = stop_.load(std::memory_order_acquire);
    take_lines();
    if (stopping) {
      finish(kStopped);
      return;
    }
    if (!finished_ && options_.max_time && clock_.now() - started_at_ >= *options_.max_time) {
      finish("time");
    }
    if (unwritten_since_ && clock_.now() - *unwritten_since_ >= kFrameAge) {
      flush();
    }
    pollfd ready{.fd = wake_up_.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, wait_ms());
    wake_up_.consume();
  }
}

int RecordingWorker::wait_ms() const {
  std::optional<Duration> wait;
  const MonoTime now = clock_.now();
  if (unwritten_since_) {
    wait = *unwritten_since_ + kFrameAge - now;
  }
  if (!finished_ && options_.max_time) {
    const Duration left = started_at_ + *options_.max_time - now;
    wait = wait ? std::min(*wait, left) : left;
  }
  if (!wait) {
    return -1;
  }
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(*wait).count();
  return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 3'600'000));
}

void RecordingWorker::take_lines() {
  while (const std::optional<std::string> lines = queue_.pop()) {
    waiting_bytes_.fetch_sub(lines->size(), std::memory_order_relaxed);
    if (finished_) {
      continue;
    }
    file_.add(*lines);
    if (!unwritten_since_) {
      unwritten_since_ = clock_.now();
    }
    if (file_.unwritten() >= kFrameText) {
      flush();
    }
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
