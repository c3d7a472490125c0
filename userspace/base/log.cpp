// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/one_line.h"
#include "base/rfc3339.h"

namespace evictd::base {
namespace {

/// Of the seconds of a line's time.
constexpr int kDecimals = 3;

struct LevelForms {
  std::string_view name;
  spdlog::level::level_enum spdlog;
  /// The kernel's severity number, which systemd's journal reads at the start of a line.
  int severity;
};

/// In the order of LogLevel.
constexpr std::array<LevelForms, 4> kLevels{{{"debug", spdlog::level::debug, 7},
                                             {"info", spdlog::level::info, 6},
                                             {"warn", spdlog::level::warn, 4},
                                             {"error", spdlog::level::err, 3}}};

const LevelForms& forms_of(LogLevel level) {
  return kLevels.at(static_cast<std::size_t>(level));
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

std::string format_json(const LogLine& line) {
  nlohmann::ordered_json object;
  object["ts"] = rfc3339(line.moment, kDecimals);
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
  return forms_of(level).name;
}

std::string format_line(const LogLine& line, LogFormat format, LogStream stream) {
  if (format == LogFormat::kJson) {
    return format_json(line);
  }
  std::string text =
      stream == LogStream::kJournal
          ? fmt::format("<{}>", forms_of(line.level).severity)
          : fmt::format("{} {} ", rfc3339(line.moment, kDecimals), to_string(line.level));
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
  logger_->set_level(forms_of(options.level).spdlog);
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
  if (!logger_->should_log(forms_of(level).spdlog)) {
    return;
  }
  const LogLine line{
      .moment = clock_.wall_now(), .level = level, .message = message, .fields = fields};
  logger_->log(forms_of(level).spdlog, "{}", format_line(line, options_.format, stream_));
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
