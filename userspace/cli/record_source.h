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

/// The record file of the daemon of deploy/evictd.yaml.
inline constexpr const char* kDefaultRecordFile = "/var/lib/evictd/records.jsonl";

struct RecordSource {
  std::string socket = kDefaultControlSocket;
  /// A record file to read instead of asking the daemon; empty to ask.
  std::string file;
};

struct Records {
  /// In the order of their ids, each once and in its latest state.
  std::vector<exporting::EvictionRecord> decisions;
  std::vector<std::string> warnings;
};

/// The daemon's records plus those in its file; without a daemon those in the default file.
/// Errors: those of reading the file; kNotFound, naming both, if neither exists.
[[nodiscard]] Result<Records> load_records(const RecordSource& source);

/// The decisions among `lines`, as in load_records(). A warning about an unreadable one begins with
/// its place, if it has one.
[[nodiscard]] Records decisions_of(const std::vector<exporting::RecordLine>& lines);

/// Removes the decisions that cannot be read, and returns the warnings of decisions_of() about
/// them.
[[nodiscard]] std::vector<std::string> skip_unreadable(std::vector<exporting::RecordLine>& lines);

/// Parses a moment from a user: RFC 3339, or a duration ("5m") before `now`, not negative. Errors:
/// kMalformed with the allowed forms.
[[nodiscard]] Result<WallTime> moment_of(const std::string& text, WallTime now);

/// The error message for such a text; empty if it is valid.
[[nodiscard]] std::string moment_problem(const std::string& text);

}  // namespace evictd::cli
