// SPDX-License-Identifier: Apache-2.0
#include "replay/recording_reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <set>

#include "base/json_text.h"
#include "base/read_up_to.h"
#include "base/regular_file.h"
#include "evictd/try.h"
#include "replay/pass_json.h"
#include "replay/recording_file.h"

namespace evictd::replay {

namespace {

using exporting::JsonFields;

/// Of all frames together: a hostile file of a few bytes must not fill the memory.
constexpr std::size_t kMostText = std::size_t{2} << 30U;

/// Takes frames off the front of the bytes.
class Frames {
 public:
  explicit Frames(std::string_view bytes) : rest_(bytes) {}

  /// The text of the next frame; nothing at the end, or where the rest is cut short.
  Result<std::optional<std::string>> next() {
    if (rest_.empty()) {
      return std::optional<std::string>();
    }
    const std::size_t packed = ZSTD_findFrameCompressedSize(rest_.data(), rest_.size());
    if (ZSTD_isError(packed) != 0) {
      return end_or_damage();
    }
    const unsigned long long size = ZSTD_getFrameContentSize(rest_.data(), rest_.size());
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
        size > kMostFrameText) {
      return fail(Errc::kMalformed, "not a recording of evictd: a frame without a sane size");
    }
    std::string text(size, '\0');
    const std::size_t got = ZSTD_decompress(text.data(), text.size(), rest_.data(), packed);
    if (ZSTD_isError(got) != 0 || got != size) {
      return fail(Errc::kMalformed,
                  std::string("damaged: zstd: ") +
                      (ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : "another size"));
    }
    rest_.remove_prefix(packed);
    any_ = true;
    return std::optional(std::move(text));
  }

  [[nodiscard]] std::size_t cut() const { return rest_.size(); }

 private:
  /// A frame that does not end can only be the last one; before the first there is no recording.
  Result<std::optional<std::string>> end_or_damage() {
    constexpr std::string_view kMagic("\x28\xb5\x2f\xfd", 4);
    const bool begins_as_one = rest_.starts_with(kMagic) || kMagic.starts_with(rest_);
    if (!begins_as_one) {
      return fail(Errc::kMalformed,
                  any_ ? "damaged: what follows is no zstd frame" : "not a recording of evictd");
    }
    return std::optional<std::string>();
  }

  std::string_view rest_;
  bool any_ = false;
};

/// Turns lines into items, and checks that each names only what came before it.
class Parser {
 public:
  Result<> take(const Json& line) {
    std::optional<Error> failure;
    JsonFields fields(line, "", failure);
    if (!failure) {
      read(line, fields);
    }
    if (failure) {
      return Failure(*failure);
    }
    return {};
  }

  [[nodiscard]] bool has_header() const { return has_header_; }
  Recording recording;

 private:
  void read(const Json& line, JsonFields& fields) {
    if (line.contains("evictd_recording")) {
      read_header(fields);
    } else if (line.contains("config")) {
      recording.items.emplace_back(RecordedConfig{fields.text("config")});
    } else if (line.contains("pass")) {
      RecordedPass pass = pass_from_json(fields);
      check(pass, fields);
      recording.items.emplace_back(std::move(pass));
    } else if (line.contains("pod")) {
      RecordedPod pod = pod_from_json(fields);
      known_.insert(pod.number);
      recording.items.emplace_back(std::move(pod));
    } else if (line.contains("event")) {
      recording.items.emplace_back(RecordedEvent{fields.object("event")});
    } else {
      recording.items.emplace_back(RecordingEnd{fields.text("end")});
    }
  }

  void read_header(JsonFields& fields) {
    recording.header.version =
        fields.whole("evictd_recording", kOldestRecordingVersion, kRecordingVersion);
    recording.header.evictd_version = fields.text("evictd_version");
    recording.header.wall_offset = Duration(fields.whole("wall_offset", 0));
    has_header_ = true;
  }

  void check(const RecordedPass& pass, JsonFields& fields) {
    if (pass.now < last_) {
      fields.refuse("pass", "earlier than the pass before it");
    }
    last_ = pass.now;
    for (const RecordedPodPass& pod : pass.pods) {
      if (!known_.contains(pod.number)) {
        fields.refuse("pods", fmt::format("names the unknown pod {}", pod.number));
        return;
      }
    }
  }

  std::set<std::size_t> known_;
  MonoTime last_{};
  bool has_header_ = false;
};

Result<> check_version(const Json& line) {
  if (!line.is_object() || !line.contains("evictd_recording") ||
      !line["evictd_recording"].is_number_integer()) {
    return fail(Errc::kMalformed, "not a recording of evictd");
  }
  const Json& version = line["evictd_recording"];
  if (version < kOldestRecordingVersion || version > kRecordingVersion) {
    return fail(Errc::kUnsupported,
                fmt::format("version {} of the format; this program reads {} to {}", version.dump(),
                            kOldestRecordingVersion, kRecordingVersion));
  }
  return {};
}

Result<> take_text(Parser& parser, std::string_view text, std::size_t& number) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Result<Json> line = base::parse_json<Json>(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!line && (number > 1 || line.error().code != Errc::kMalformed)) {
      return fail_in(fmt::format("line {}", number), line.error());
    }
    if (number == 1) {
      EVICTD_TRY(check_version(line.value_or(Json())));
    }
    EVICTD_TRY(EVICTD_IN(fmt::format("line {}", number), parser.take(*line)));
  }
  return {};
}

Failure too_much_text(std::string_view name) {
  return fail(Errc::kExhausted, std::string(name) + ": more than 2 GiB of text");
}

}  // namespace

Result<Recording> parse_recording(std::string_view bytes, std::string_view name) {
  Frames frames(bytes);
  Parser parser;
  std::size_t number = 0;
  std::size_t total = 0;
  for (;;) {
    EVICTD_ASSIGN_OR_RETURN(const std::optional<std::string> text, EVICTD_IN(name, frames.next()));
    if (!text) {
      break;
    }
    total += text->size();
    if (total > kMostText) {
      return too_much_text(name);
    }
    EVICTD_TRY(EVICTD_IN(name, take_text(parser, *text, number)));
  }
  if (!parser.has_header()) {
    return fail(Errc::kMalformed,
                std::string(name) + ": " +
                    (bytes.empty() ? "empty"
                                   : "not a recording of evictd, or cut short before its "
                                     "first frame ended"));
  }
  if (frames.cut() != 0) {
    parser.recording.warning =
        fmt::format("{}: cut short: the last {} bytes are no whole frame", name, frames.cut());
  } else if (parser.recording.items.empty() ||
             !std::holds_alternative<RecordingEnd>(parser.recording.items.back())) {
    parser.recording.warning = fmt::format(
        "{}: ends without an end: evictd was killed, or is "
        "still recording",
        name);
  }
  return std::move(parser.recording);
}

Result<Recording> read_recording(const std::filesystem::path& file) {
  EVICTD_ASSIGN_OR_RETURN(const base::Fd in, base::open_regular_file(file));
  EVICTD_ASSIGN_OR_RETURN(const std::string bytes,
                          base::read_up_to(in.get(), kMostText + 1, file.string()));
  if (bytes.size() > kMostText) {
    return too_much_text(file.string());
  }
  return parse_recording(bytes, file.string());
}

}  // namespace evictd::replay
