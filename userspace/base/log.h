// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/log_options.h"
#include "core/clock.h"

namespace spdlog {
class logger;
}

namespace evictd::base {

/// One named value beside a message; std::monostate for what there is none of: the field is then
/// left out of the line.
struct LogField {
  std::string_view name;
  std::variant<std::monostate, std::string, std::int64_t, double, bool> value;
};
using LogFields = std::initializer_list<LogField>;

/// How lines reach the reader of stderr.
enum class LogStream {
  kPlain,    ///< Each line starts with time and level.
  kJournal,  ///< systemd's journal reads: "<6>" in front instead, as the journal stamps the time.
};

/// kJournal if stderr is the stream that systemd named in JOURNAL_STREAM (device and inode agree).
[[nodiscard]] LogStream detect_log_stream();

/// The daemon's log, on stderr.
///
/// What is worth a line:
///   error  an operator must act: evictd cannot do its work.
///   warn   evictd goes on with less; the text ends in "continuing without X".
///   info   a state changed: started, reloaded, a condition set or cleared, a hook attached, a pod
///          evicted. One line per change and one per eviction, never one per pass or per event.
///   debug  one line per pass.
/// A state that stays is not repeated; `evictctl status` counts how often.
///
/// Thread rule: the housekeeping thread only; a full pipe blocks the writer.
class Log {
 public:
  /// `clock` stamps the lines and must outlive the log. `stream` matters for the text format only.
  Log(LogOptions options, const core::Clock& clock, LogStream stream = LogStream::kPlain);

  void debug(std::string_view message, LogFields fields = {});
  void info(std::string_view message, LogFields fields = {});
  void warn(std::string_view message, LogFields fields = {});
  void error(std::string_view message, LogFields fields = {});

  /// Takes over format and level, as after a reload.
  void set_options(LogOptions options);

 private:
  void write(LogLevel level, std::string_view message, LogFields fields);

  LogOptions options_;
  const core::Clock& clock_;
  LogStream stream_;
  std::shared_ptr<spdlog::logger> logger_;
};

/// What goes into one line.
struct LogLine {
  WallTime moment{};
  LogLevel level = LogLevel::kInfo;
  std::string_view message;
  LogFields fields;
};

/// One line without its line end. Control characters of a message or value are escaped and bytes
/// that are no UTF-8 are replaced, so that no input can forge a second line.
[[nodiscard]] std::string format_line(const LogLine& line, LogFormat format, LogStream stream);

/// "debug", "info", "warn" or "error".
[[nodiscard]] std::string_view to_string(LogLevel level);

}  // namespace evictd::base
