// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/one_line.h"

namespace evictd::base {
namespace {

/// In the order of LogLevel.
using LevelForms = std::array<std::string_view, 4>;
constexpr LevelForms kNames{"debug", "info", "warn", "error"};
/// The kernel's severities, which systemd's journal reads at the start of a line.
constexpr LevelForms kSeverities{"<7>", "<6>", "<4>", "<3>"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  return static_cast<spdlog::level::level_enum>(spdlog::level::debug + static_cast<int>(level));
}

/// Writes the level in a form that spdlog lacks: its name of LogLevel::kWarn is "warning".
class LevelFlag final : public spdlog::custom_flag_formatter {
 public:
  explicit LevelFlag(const LevelForms& forms) : forms_(forms) {}

  void format(const spdlog::details::log_msg& line, const std::tm& /*time*/,
              spdlog::memory_buf_t& text) override {
    text.append(forms_.at(static_cast<std::size_t>(line.level - spdlog::level::debug)));
  }

  [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<LevelFlag>(forms_);
  }

 private:
  LevelForms forms_;
};

/// Lays a line out around %v, which text_of() or json_of() makes.
std::unique_ptr<spdlog::formatter> make_formatter(LogFormat format, LogStream stream) {
  std::string pattern = stream == LogStream::kJournal ? "%N%v" : "%Y-%m-%dT%T.%eZ %l %v";
  if (format == LogFormat::kJson) {
    pattern = R"({"ts":"%Y-%m-%dT%T.%eZ","level":"%l",%v)";
  }
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<LevelFlag>('l', kNames).add_flag<LevelFlag>('N', kSeverities);
  formatter->set_pattern(std::move(pattern));
  return formatter;
}

/// Bytes that are not UTF-8, as in a cgroup's name, become U+FFFD; control characters are escaped.
std::string to_json_text(const nlohmann::ordered_json& value) {
  return one_line_json(
      value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::ordered_json json_value(std::monostate /*nothing*/) {
  return nullptr;
}

template <typename T>
nlohmann::ordered_json json_value(const T& value) {
  return value;
}

/// Null for a field without a value.
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

/// The object from "msg" on; the pattern has what is before it.
std::string json_of(std::string_view message, LogFields fields) {
  nlohmann::ordered_json object;
  object["msg"] = message;
  for (const LogField& field : fields) {
    if (nlohmann::ordered_json value = to_json(field); !value.is_null()) {
      object[std::string(field.name)] = std::move(value);
    }
  }
  return to_json_text(object).substr(1);
}

std::string text_of(std::string_view message, LogFields fields) {
  std::string text = one_line(message);
  for (const LogField& field : fields) {
    if (const nlohmann::ordered_json value = to_json(field); !value.is_null()) {
      const auto* plain = std::get_if<std::string>(&field.value);
      text += fmt::format(" {}={}", field.name,
                          plain != nullptr && !needs_quotes(*plain) ? *plain : to_json_text(value));
    }
  }
  return text;
}

}  // namespace

Log::Log(LogOptions options, const core::Clock& clock, LogStream stream)
    : clock_(clock),
      stream_(stream),
      logger_(std::make_shared<spdlog::logger>("evictd",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->flush_on(spdlog::level::trace);
  set_options(options);
}

void Log::set_options(LogOptions options) {
  format_ = options.format;
  logger_->set_formatter(make_formatter(options.format, stream_));
  logger_->set_level(spdlog_level(options.level));
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
  if (!logger_->should_log(spdlog_level(level))) {
    return;
  }
  logger_->log(clock_.wall_now(), spdlog::source_loc{}, spdlog_level(level),
               format_ == LogFormat::kJson ? json_of(message, fields) : text_of(message, fields));
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
