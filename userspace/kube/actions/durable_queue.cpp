// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/durable_queue.h"

#include <utility>
#include <vector>

#include "base/fault_point.h"
#include "evictd/try.h"
#include "kube/actions/times.h"

namespace evictd::kube {

namespace {

using base::fault_point;
using base::FaultPoint;

/// After this many lines without an entry, the file gets the cursor; evictd sends later ones again.
constexpr std::uint64_t kLinesBetweenCursors = 256;
/// Finished entries stay in the file until it has grown by this much.
constexpr std::size_t kMaxFileGrowth = std::size_t{256} << 10U;

}  // namespace

Result<DurableQueue> DurableQueue::open(const std::string& directory, WallTime now) {
  EVICTD_ASSIGN_OR_RETURN(QueueFile file, QueueFile::open(directory, "queue"));
  DurableQueue queue(std::move(file));
  EVICTD_ASSIGN_OR_RETURN(std::vector<std::string> lines, queue.file_.read());
  for (std::size_t i = 0; i < lines.size() && queue.damage_.empty(); ++i) {
    if (Result<> applied = queue.state_.apply(lines[i]); !applied) {
      queue.damage_ = queue.file_.path() + ":" + std::to_string(i + 1) + ": " +
                      applied.error().message() + ", set aside as queue.damaged";
    }
  }
  if (!queue.damage_.empty()) {
    queue.state_ = QueueState();
    EVICTD_TRY(queue.file_.set_aside());
  }
  queue.seen_ = queue.state_.cursor();
  EVICTD_TRY(queue.begin(now));
  return queue;
}

/// Starts with a compacted file.
Result<> DurableQueue::begin(WallTime now) {
  if (state_.since().empty()) {
    EVICTD_TRY(state_.apply(QueueState::begin_text(whole_seconds(now))));
  }
  return shorten();
}

Result<> DurableQueue::write(const std::string& text) {
  EVICTD_TRY(file_.append(text));
  is_synced_ = false;
  return state_.apply(text);
}

Result<> DurableQueue::take(const TakenLine& line) {
  const bool calls_for_something =
      !line.entries.empty() || line.victim.has_value() || line.pressure.has_value();
  const bool is_due = line.seq >= state_.cursor().value_or(0) + kLinesBetweenCursors;
  if (calls_for_something) {
    fault_point(FaultPoint::kLineTaken);
    EVICTD_TRY(write(QueueState::taken_text(line)));
    fault_point(FaultPoint::kEntryWritten);
  } else if (is_due) {
    EVICTD_TRY(write(QueueState::cursor_text(line.seq)));
  }
  seen_ = line.seq;
  // The line is taken. Compacting a long file is retried with the next line or step.
  static_cast<void>(shorten_if_long());
  return {};
}

Result<> DurableQueue::move_to(std::uint64_t seq) {
  Result<> written = write(QueueState::cursor_text(seq));
  if (written) {
    seen_ = seq;
  }
  return written;
}

Result<> DurableQueue::record_done(std::uint64_t number, std::size_t done) {
  EVICTD_TRY(write(QueueState::done_text(number, done)));
  fault_point(FaultPoint::kDoneNoted);
  return shorten_if_long();
}

Result<> DurableQueue::sync() {
  if (is_synced_) {
    return {};
  }
  EVICTD_TRY(file_.sync());
  is_synced_ = true;
  fault_point(FaultPoint::kEntrySynced);
  return {};
}

Result<> DurableQueue::shorten() {
  EVICTD_TRY(file_.replace(state_.texts()));
  shortest_ = file_.size();
  had_entries_ = !state_.entries().empty();
  is_synced_ = true;
  return {};
}

Result<> DurableQueue::shorten_if_long() {
  const bool is_emptied = had_entries_ && state_.entries().empty();
  return file_.size() < (is_emptied ? 0 : 2 * shortest_) + kMaxFileGrowth ? Result<>() : shorten();
}

}  // namespace evictd::kube
