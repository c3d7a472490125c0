// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_worker.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "export/eviction_record.h"
#include "export/json_time.h"

namespace evictd::daemon {

RecordWorker::RecordWorker(exporting::RecordFile::Options options, const core::Clock& clock)
    : file_(std::move(options)), clock_(clock) {}

Result<std::unique_ptr<RecordWorker>> RecordWorker::start(exporting::RecordFile::Options options,
                                                          const core::Clock& clock) {
  std::unique_ptr<RecordWorker> worker(new RecordWorker(std::move(options), clock));
  EVICTD_TRY(worker->worker_.start("evictd-records", [&started = *worker] { started.run(); }));
  return worker;
}

void RecordWorker::write(Item item) {
  const std::uint64_t bytes = item.line.size();
  worker_.push(std::move(item), bytes);
}

RecordWorker::Counters RecordWorker::counters() const {
  return {.written = written_.load(std::memory_order_acquire),
          .lost = failed_.load(std::memory_order_acquire) + worker_.refused(),
          .waiting = worker_.waiting()};
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
  while (const std::optional<Item> item = worker_.next()) {
    busy_since_.store(clock_.now().time_since_epoch().count(), std::memory_order_release);
    write_one(*item);
    busy_since_.store(0, std::memory_order_release);
  }
}

/// In one call, so that a file never takes a gap without the line after it.
Result<> RecordWorker::append(const Item& item) {
  const std::uint64_t lost = failed_.load(std::memory_order_relaxed) + worker_.refused();
  if (lost == told_) {
    return file_.append(item.line, item.durability);
  }
  const nlohmann::ordered_json gap = {
      {"schema", exporting::kRecordSchema},
      {"kind", "gap"},
      {"time", item.time.empty() ? exporting::rfc3339(clock_.wall_now()) : item.time},
      {"lost", lost - told_}};
  Result<> appended = file_.append(gap.dump() + '\n' + item.line, item.durability);
  if (appended) {
    told_ = lost;
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
    failed_.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace evictd::daemon
