// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/one_line.h"

namespace evictd::base {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::off;
}

/// Bytes that are not UTF-8, as in a cgroup's name, become U+FFFD; control characters are escaped.
std::string to_json_text(const nlohmann::ordered_json& value) {
  return one_line_json(
      value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

bool is_there(const LogField& field) {
  return !std::holds_alternative<std::monostate>(field.value);
}

nlohmann::ordered_json json_value(std::monostate /*nothing*/) {
  return nullptr;
}

template <typename T>
nlohmann::ordered_json json_value(const T& value) {
  return value;
}

nlohmann::ordered_json to_json(const LogField& field) {
  return std::visit([](const auto& value) { return json_value(value); }, field.value);
}

/// A text is quoted if its end would be ambiguous, or if it could end the line.
bool needs_quotes(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == '"' || byte == '\\' || byte == '=' || byte >= 0x7f) {
      return true;
    }
  }
  return false;
}

/// The kernel's severity numbers, which systemd's journal reads at the start of a line.
int syslog_severity(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return 7;
    case LogLevel::kInfo:
      return 6;
    case LogLevel::kWarn:
      return 4;
    case LogLevel::kError:
      return 3;
  }
  return 6;
}

std::string format_moment(WallTime moment) {
  const auto since_epoch = moment.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch - seconds).count();
  const std::time_t time = seconds.count();
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis);
}

std::string format_json(const LogLine& line) {
  nlohmann::ordered_json object;
  object["ts"] = format_moment(line.moment);
  object["level"] = to_string(line.level);
  object["msg"] = line.message;
  for (const LogField& field : line.fields) {
    if (is_there(field)) {
      object[std::string(field.name)] = to_json(field);
    }
  }
  return to_json_text(object);
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "unknown";
}

std::string format_line(const LogLine& line, LogFormat format, LogStream stream) {
  if (format == LogFormat::kJson) {
    return format_json(line);
  }
  std::string text = stream == LogStream::kJournal
                         ? fmt::format("<{}>", syslog_severity(line.level))
                         : fmt::format("{} {} ", format_moment(line.moment), to_string(line.level));
  text += one_line(line.message);
  for (const LogField& field : line.fields) {
    if (!is_there(field)) {
      continue;
    }
    const auto* value = std::get_if<std::string>(&field.value);
    const bool plain = value != nullptr && !needs_quotes(*value);
    text += fmt::format(" {}={}", field.name, plain ? *value : to_json_text(to_json(field)));
  }
  return text;
}

Log::Log(LogOptions options, const core::Clock& clock, LogStream stream)
    : options_(options),
      clock_(clock),
      stream_(stream),
      logger_(std::make_shared<spdlog::logger>("evictd",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_pattern("%v");
  logger_->flush_on(spdlog::level::trace);
  set_options(options);
}

void Log::set_options(LogOptions options) {
  options_ = options;
  logger_->set_level(to_spdlog(options.level));
}

void Log::debug(std::string_view message, LogFields fields) {
  write(LogLevel::kDebug, message, fields);
}
void Log::info(std::string_view message, LogFields fields) {
  write(LogLevel::kInfo, message, fields);
}
void Log::warn(std::string_view message, LogFields fields) {
  write(LogLevel::kWarn, message, fields);
}
void Log::error(std::string_view message, LogFields fields) {
  write(LogLevel::kError, message, fields);
}

void Log::write(LogLevel level, std::string_view message, LogFields fields) {
  if (!logger_->should_log(to_spdlog(level))) {
    return;
  }
  const LogLine line{
      .moment = clock_.wall_now(), .level = level, .message = message, .fields = fields};
  logger_->log(to_spdlog(level), "{}", format_line(line, options_.format, stream_));
}

LogStream detect_log_stream() {
  const char* named = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe)
  struct stat status {};
  if (named == nullptr || ::fstat(STDERR_FILENO, &status) != 0) {
    return LogStream::kPlain;
  }
  const std::string own = fmt::format("{}:{}", status.st_dev, status.st_ino);
  return own == named ? LogStream::kJournal : LogStream::kPlain;
}

}  // namespace evictd::base
