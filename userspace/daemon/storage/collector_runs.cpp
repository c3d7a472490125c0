// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/collector_runs.h"

#include <algorithm>

#include "daemon/records/duration_numbers.h"

namespace evictd::daemon {

namespace {

exporting::RecordedCollector under_way(std::string name, std::vector<std::string> argv) {
  exporting::RecordedCollector one;
  one.collector = std::move(name);
  one.argv = std::move(argv);
  one.outcome = "under_way";
  return one;
}

}  // namespace

void CollectorRuns::begin(std::uint64_t round, const std::vector<CollectorJob>& jobs) {
  round_ = round;
  collectors_.clear();
  for (const CollectorJob& job : jobs) {
    collectors_.push_back(under_way(std::string(eviction::to_string(job.collector)), job.argv));
  }
}

void CollectorRuns::end(const CollectorsEnd& ended) {
  if (ended.round != round_) {
    return;
  }
  const std::size_t count = std::min(ended.ends.size(), collectors_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const CollectorEnd& end = ended.ends[i];
    exporting::RecordedCollector& one = collectors_[i];
    one.outcome = end.end && end.end->succeeded() ? "succeeded" : "failed";
    one.end = end.end ? end.end->text() : end.end.error().message();
    one.took_ms = to_ms(end.took);
    one.ended_at = end.ended_at;
  }
}

std::vector<exporting::RecordedCollector> CollectorRuns::as_of(MonoTime moment) const {
  std::vector<exporting::RecordedCollector> stood = collectors_;
  for (exporting::RecordedCollector& one : stood) {
    if (one.ended_at && *one.ended_at > moment) {
      one = under_way(std::move(one.collector), std::move(one.argv));
    }
  }
  return stood;
}

}  // namespace evictd::daemon
