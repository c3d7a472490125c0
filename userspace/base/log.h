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

/// One named value beside a message. A field with std::monostate has no value and is left out.
struct LogField {
  std::string_view name;
  std::variant<std::monostate, std::string, std::int64_t, double, bool> value;
};
using LogFields = std::initializer_list<LogField>;

/// How stderr is read.
enum class LogStream {
  kPlain,    ///< Each line starts with time and level.
  kJournal,  ///< systemd's journal reads: "<6>" in front instead, as the journal stamps the time.
};

/// kJournal if stderr is the stream that JOURNAL_STREAM names (same device and inode).
[[nodiscard]] LogStream detect_log_stream();

/// The daemon's log, on stderr. Control characters of messages and values are escaped and bytes
/// that are not UTF-8 are replaced, so that no input can forge a second line.
///
/// What is logged:
///   error  an operator must act: evictd cannot do its work.
///   warn   evictd continues with reduced function; the text ends in "continuing without X".
///   info   a state changed: started, reloaded, a condition set or cleared, a hook attached, a pod
///          evicted. One line per change and one per eviction, never one per pass or per event.
///   debug  one line per pass.
/// A lasting state is not logged again; `evictctl status` counts how often it occurred.
///
/// Thread rule: only the housekeeping thread; a full pipe blocks the writer.
class Log {
 public:
  /// `clock` stamps the lines and must outlive the log. Only the text format uses `stream`.
  Log(LogOptions options, const core::Clock& clock, LogStream stream = LogStream::kPlain);

  void debug(std::string_view message, LogFields fields = {});
  void info(std::string_view message, LogFields fields = {});
  void warn(std::string_view message, LogFields fields = {});
  void error(std::string_view message, LogFields fields = {});

  /// Applies a new format and level, as after a reload.
  void set_options(LogOptions options);

 private:
  void write(LogLevel level, std::string_view message, LogFields fields);

  LogFormat format_{};
  const core::Clock& clock_;
  LogStream stream_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace evictd::base
