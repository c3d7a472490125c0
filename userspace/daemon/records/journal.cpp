// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/rfc3339.h"
#include "daemon/records/json_line.h"
#include "evictd/try.h"
#include "export/eviction_record.h"
#include "export/json_time.h"
#include "export/record_reader.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// 0 if it has none.
std::uint64_t seq_of(const Json& line) {
  const auto seq = line.find("seq");
  return seq != line.end() && seq->is_number_unsigned() ? seq->get<std::uint64_t>() : 0;
}

}  // namespace

Result<Journal> Journal::create(Options options) {
  Journal journal(std::move(options));
  const config::RecordSettings& records = journal.options_.records;
  // Lines that a crash kept from the file had numbers too. The clock is beyond those at up to a
  // thousand lines a second.
  const Duration since_epoch = journal.options_.clock->wall_now().time_since_epoch();
  journal.next_seq_ = static_cast<std::uint64_t>(std::max<std::int64_t>(
      1, std::chrono::floor<std::chrono::milliseconds>(since_epoch).count()));
  if (records.file.empty()) {
    journal.forgotten_seq_ = journal.next_seq_ - 1;
    return journal;
  }
  journal.read_file();
  EVICTD_ASSIGN_OR_RETURN(
      journal.worker_,
      RecordWorker::start(
          {.path = records.file, .max_bytes = records.max_bytes.value, .files = records.files},
          *journal.options_.clock));
  return journal;
}

/// Ids continue after the file's last one, so that each names one decision in the file. An
/// unreadable file has no ids; its error shows at the first write.
void Journal::read_file() {
  const Result<exporting::RecordLines> read = exporting::read_record_file(options_.records.file);
  if (!read) {
    return;
  }
  std::map<std::uint64_t, exporting::EvictionRecord> by_id;
  for (const auto& [line, place] : read->lines) {
    const auto id = line.find("id");
    if (id != line.end() && id->is_number_unsigned()) {
      last_id_ = std::max(last_id_, id->get<std::uint64_t>());
    }
    next_seq_ = std::max(next_seq_, seq_of(line) + 1);
    const auto kind = line.find("kind");
    const auto state = line.find("state");
    const bool is_decision = kind != line.end() && *kind == "decision";
    if (!is_decision || state == line.end() || !state->is_string() ||
        state->get_ref<const std::string&>().empty()) {
      continue;  // no pod
    }
    Result<exporting::EvictionRecord> record = exporting::record_from_json(line);
    if (record && !record->dry_run) {
      by_id.insert_or_assign(record->id, std::move(*record));
    }
  }
  find_last_evictions(by_id);
  keep_newest_of(read->lines);
}

/// Makes an earlier evictd's records available, also if it did not stop by itself.
void Journal::keep_newest_of(const std::vector<exporting::RecordLine>& lines) {
  for (std::size_t i = lines.size(); i > 0; --i) {
    const exporting::RecordLine& line = lines[i - 1];
    if (kept_.size() == kKeptLines) {
      forgotten_seq_ = seq_of(line.json);
      return;
    }
    const auto time = line.json.find("time");
    const Result<WallTime> at = time != line.json.end() && time->is_string()
                                    ? core::wall_time_from_rfc3339(time->get<std::string>())
                                    : Result<WallTime>(WallTime::max());
    const bool is_readable = line.json.value("kind", Json()) != "decision" ||
                             exporting::record_from_json(line.json).has_value();
    if (!at || !is_readable) {
      continue;
    }
    std::string text = to_line(line.json);
    if (kept_bytes_ + text.size() > kKeptBytes) {
      forgotten_seq_ = seq_of(line.json);
      return;
    }
    kept_bytes_ += text.size();
    kept_.push_front({.at = *at, .text = std::move(text), .seq = seq_of(line.json)});
  }
}

void Journal::find_last_evictions(const std::map<std::uint64_t, exporting::EvictionRecord>& by_id) {
  std::map<std::string, const exporting::EvictionRecord*> newest;
  for (const auto& [id, record] : by_id) {
    newest[record.uid] = &record;
  }
  for (const auto& [uid, record] : newest) {
    std::vector<exporting::EvictionRecord>& story = last_evictions_[uid];
    story.push_back(*record);
    // Follows only lower ids, so that a manipulated file cannot cause an endless loop.
    for (std::optional<std::uint64_t> cut = record->escalates; cut && *cut < story.front().id;) {
      const auto earlier = by_id.find(*cut);
      if (earlier == by_id.end() || earlier->second.uid != uid) {
        break;
      }
      cut = earlier->second.escalates;
      story.insert(story.begin(), earlier->second);
    }
  }
}

void Journal::add(std::string_view kind, const Json& members, MonoTime at) {
  const core::ClockReading now = core::read_both(*options_.clock);
  const MonoTime moment = at == MonoTime{} ? now.mono : std::min(at, now.mono);
  Json line = {{"schema", exporting::kRecordSchema},
               {"kind", kind},
               {"time", exporting::rfc3339(core::wall_time_of(moment, now))},
               {"moment_ns", moment.time_since_epoch().count()},
               {"node", options_.node}};
  line.update(members);
  add_whole(line, exporting::Durability::kCached);
}

void Journal::add_whole(const Json& line, exporting::Durability durability) {
  std::string text = to_line(line);
  const std::uint64_t seq = next_seq_++;
  text.insert(text.size() - 1, ",\"seq\":" + std::to_string(seq));
  if (options_.publish) {
    options_.publish(text);
  }
  if (worker_) {
    const auto time = line.find("time");
    const bool has_time = time != line.end() && time->is_string();
    worker_->write({.line = text,
                    .durability = durability,
                    .time = has_time ? time->get<std::string>() : std::string()});
  }
  keep(std::move(text), seq);
}

void Journal::keep(std::string text, std::uint64_t seq) {
  kept_bytes_ += text.size();
  kept_.push_back({.at = options_.clock->wall_now(), .text = std::move(text), .seq = seq});
  while (kept_.size() > kKeptLines || (kept_bytes_ > kKeptBytes && kept_.size() > 1)) {
    kept_bytes_ -= kept_.front().text.size();
    forgotten_seq_ = std::max(forgotten_seq_, kept_.front().seq);
    kept_.pop_front();
  }
}

std::vector<std::string> Journal::lines_since(WallTime since) const {
  std::vector<std::string> lines;
  for (const Line& line : kept_) {
    if (line.at >= since) {
      lines.push_back(line.text);
    }
  }
  return lines;
}

Journal::LinesAfter Journal::lines_after(std::uint64_t seq) const {
  const bool is_ours = seq < next_seq_;
  LinesAfter after{.lines = {}, .complete = is_ours && seq >= forgotten_seq_, .first = next_seq_};
  for (const Line& line : kept_) {
    if (!is_ours || line.seq > seq) {
      after.first = after.lines.empty() ? line.seq : after.first;
      after.lines.push_back(line.text);
    }
  }
  return after;
}

/// Why some lines do not reach the file; empty if all do.
std::string Journal::trouble_now(MonoTime now) {
  const std::uint64_t lost = worker_->counters().lost;
  const bool is_losing = std::exchange(lost_seen_, lost) != lost;
  std::string trouble = worker_->trouble(now);
  if (trouble.empty() && is_losing) {
    // A failed write may be followed by a good one, and a full queue fails no write.
    trouble = trouble_.empty() ? file() + ": only some lines are written; the others failed or " +
                                     "found the queue full"
                               : trouble_;
  }
  return trouble;
}

std::string Journal::check(MonoTime now) {
  if (!worker_) {
    return {};
  }
  const std::uint64_t lost_before = lost_seen_;
  std::string trouble = trouble_now(now);
  const bool is_news = trouble.empty() != trouble_.empty();
  trouble_ = std::move(trouble);
  if (!is_news) {
    return {};
  }
  if (!trouble_.empty()) {
    lost_at_start_ = lost_before;
  }
  add("degraded", {{"what", "record_file"}, {"degraded", !trouble_.empty()}, {"text", trouble_}});
  return trouble_.empty()
             ? "records are written to " + file() +
                   " again; lines missing from it: " + std::to_string(lost_seen_ - lost_at_start_)
             : "records cannot be written: " + trouble_ +
                   ", continuing without the file: they are kept in memory";
}

}  // namespace evictd::daemon
