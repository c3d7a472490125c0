// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_worker.h"

#include <poll.h>

#include <nlohmann/json.hpp>

#include "evictd/try.h"
#include "export/eviction_record.h"
#include "export/json_time.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

RecordWorker::RecordWorker(base::WakeUp wake_up, exporting::RecordFile file,
                           const core::Clock& clock)
    : wake_up_(std::move(wake_up)), file_(std::move(file)), clock_(clock) {}

Result<std::unique_ptr<RecordWorker>> RecordWorker::start(exporting::RecordFile::Options options,
                                                          const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp wake_up, base::WakeUp::create());
  std::unique_ptr<RecordWorker> worker(
      new RecordWorker(std::move(wake_up), exporting::RecordFile(std::move(options)), clock));
  worker->thread_ = std::thread([&started = *worker] {
    sys::name_thread("evictd-records");
    started.run();
  });
  return worker;
}

RecordWorker::~RecordWorker() {
  stop_.store(true, std::memory_order_release);
  wake_up_.signal();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void RecordWorker::write(Item item) {
  const std::uint64_t bytes = item.line.size();
  if (waiting_bytes_.load(std::memory_order_relaxed) + bytes <= kMostBytes) {
    waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (queue_.push(std::move(item))) {
      ++given_;
      wake_up_.signal();
      return;
    }
    waiting_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  ++refused_;
  refused_to_tell_.fetch_add(1, std::memory_order_relaxed);
}

RecordWorker::Counters RecordWorker::counters() const {
  const std::uint64_t written = written_.load(std::memory_order_acquire);
  const std::uint64_t failed = failed_.load(std::memory_order_acquire);
  return {.written = written, .lost = failed + refused_, .waiting = given_ - written - failed};
}

std::string RecordWorker::trouble(MonoTime now) const {
  const std::int64_t busy_since = busy_since_.load(std::memory_order_acquire);
  if (busy_since != 0 && now - MonoTime(Duration(busy_since)) >= kPatience) {
    return file_.path().string() + ": a write has not returned for " +
           std::to_string(std::chrono::duration_cast<std::chrono::seconds>(kPatience).count()) +
           " s";
  }
  const std::lock_guard lock(mutex_);
  return failure_;
}

void RecordWorker::run() {
  for (;;) {
    // Read before the queue, so that lines from before the stop are written.
    const bool stopping = stop_.load(std::memory_order_acquire);
    while (const std::optional<Item> item = queue_.pop()) {
      busy_since_.store(clock_.now().time_since_epoch().count(), std::memory_order_release);
      write_one(*item);
      busy_since_.store(0, std::memory_order_release);
      waiting_bytes_.fetch_sub(item->line.size(), std::memory_order_relaxed);
    }
    if (stopping) {
      return;
    }
    pollfd ready{.fd = wake_up_.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, /*timeout=*/-1);
    wake_up_.consume();
  }
}

/// In one call, so that a file never takes a gap without the line after it.
Result<> RecordWorker::append(const Item& item) {
  untold_ += refused_to_tell_.exchange(0, std::memory_order_relaxed);
  if (untold_ == 0) {
    return file_.append(item.line, item.durability);
  }
  const nlohmann::ordered_json gap = {
      {"schema", exporting::kRecordSchema},
      {"kind", "gap"},
      {"time", item.time.empty() ? exporting::rfc3339(clock_.wall_now()) : item.time},
      {"lost", untold_}};
  Result<> appended = file_.append(gap.dump() + '\n' + item.line, item.durability);
  if (appended) {
    untold_ = 0;
  }
  return appended;
}

void RecordWorker::write_one(const Item& item) {
  const Result<> appended = append(item);
  {
    const std::lock_guard lock(mutex_);
    failure_ = appended ? std::string() : appended.error().message();
  }
  if (appended) {
    written_.fetch_add(1, std::memory_order_release);
  } else {
    ++untold_;
    failed_.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace evictd::daemon
