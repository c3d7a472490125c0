// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "export/eviction_record.h"
#include "export/record_reader.h"

namespace evictd::cli {

/// Where the daemon of deploy/evictd.yaml writes its records.
inline constexpr const char* kDefaultRecordFile = "/var/lib/evictd/records.jsonl";

struct RecordSource {
  std::string socket = kDefaultControlSocket;
  /// A record file to read instead of asking the daemon; empty to ask.
  std::string file;
};

struct Records {
  /// In the order of their ids, each once and as it stood last.
  std::vector<exporting::EvictionRecord> decisions;
  std::vector<std::string> warnings;
};

/// The daemon's records and those in its file, or without a daemon those in the default file.
/// Errors: those of reading the file; kNotFound, naming both, where neither is there.
[[nodiscard]] Result<Records> load_records(const RecordSource& source);

/// The decisions among `lines`, as load_records() has them. A warning of one that cannot be read
/// begins with its place, if it has one.
[[nodiscard]] Records decisions_of(const std::vector<exporting::RecordLine>& lines);

/// Takes away the decisions that cannot be read, and answers with the warnings that decisions_of()
/// has of them.
[[nodiscard]] std::vector<std::string> skip_unreadable(std::vector<exporting::RecordLine>& lines);

/// A moment as a person writes one: RFC 3339, or a duration ("5m"), not negative, for so long
/// before `now`. Errors: kMalformed, saying what is allowed.
[[nodiscard]] Result<WallTime> moment_of(const std::string& text, WallTime now);

/// What is wrong with such a text, empty if nothing: for the check of an option.
[[nodiscard]] std::string moment_problem(const std::string& text);

}  // namespace evictd::cli
