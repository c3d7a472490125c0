// SPDX-License-Identifier: Apache-2.0
#include "cluster/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "cluster/json_builder.h"
#include "cluster/yaml_scalar.h"
#include "config/utf8.h"
#include "core/control_character.h"

namespace evictd::cluster {

namespace {

/// Ends a YAML parse early; never leaves this file.
struct Stop {};

int line_of(const YAML::Mark& mark) {
  return std::max(mark.line, 0) + 1;
}

/// Forwards the events of yaml-cpp to the builder.
class YamlEvents final : public YAML::EventHandler {
 public:
  explicit YamlEvents(JsonBuilder& builder) : builder_(&builder) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(nullptr, "", line_of(mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_as_key(line_of(mark), "an alias");
    builder_->add_alias(anchor, line_of(mark));
    stop_if_failed();
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const int line = line_of(mark);
    std::optional<nlohmann::json> resolved = resolve_yaml_scalar(tag, value);
    if (!resolved) {
      builder_->fail_at(line, Errc::kInvalid, "tag '" + tag + "' cannot be read");
    }
    add(resolved.value_or(nullptr), value, line, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_as_key(line_of(mark), "a sequence");
    builder_->begin_array(line_of(mark), anchor);
    stop_if_failed();
  }
  void OnSequenceEnd() override { builder_->end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_as_key(line_of(mark), "a mapping");
    builder_->begin_object(line_of(mark), anchor);
    stop_if_failed();
  }
  void OnMapEnd() override { builder_->end(); }

 private:
  void add(nlohmann::json value, const std::string& text, int line, std::size_t anchor) {
    if (!builder_->wants_key()) {
      builder_->add(std::move(value), line, anchor);
    } else if (text == "<<") {
      builder_->fail_at(line, Errc::kInvalid, "merge keys ('<<') are not supported");
    } else {
      builder_->add_key(text, line);
    }
    stop_if_failed();
  }
  void refuse_as_key(int line, std::string_view what) {
    if (builder_->wants_key()) {
      builder_->fail_at(line, Errc::kInvalid, std::string(what) + " cannot be a key");
      stop_if_failed();
    }
  }
  void stop_if_failed() const {
    if (builder_->failed()) {
      throw Stop{};
    }
  }

  JsonBuilder* builder_;
};

void parse_yaml(std::string_view text, JsonBuilder& builder) {
  // Appends a comment. Without one the parser takes a quote that is open at the end of the last
  // line as closed, and half a file as a whole one.
  std::istringstream stream(std::string(text) + "\n#");
  try {
    YAML::Parser parser(stream);
    YamlEvents events(builder);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const Stop&) {
    // The builder has the failure.
  } catch (const YAML::Exception& error) {
    builder.fail_at(line_of(error.mark), Errc::kMalformed, "not YAML: " + error.msg);
  }
}

/// Iterates over the characters of a text and counts lines; nlohmann's lexer reads one character
/// ahead.
class CountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): std::iterator_traits wants these names.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  CountingIterator(const char* at, int& line) : at_(at), line_(&line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *line_ += *at_ == '\n' ? 1 : 0;
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
};

/// nlohmann's error for a number that does not fit a double.
constexpr int kNumberOverflow = 406;

/// The text that the parser had read when it stopped, from the previous value on; its end is the
/// error.
std::string shown_end(std::string_view token) {
  constexpr std::size_t kMost = 40;
  if (token.size() <= kMost) {
    return std::string(token);
  }
  token.remove_prefix(token.size() - kMost);
  while (!token.empty() && (static_cast<unsigned char>(token.front()) & 0xc0U) == 0x80U) {
    token.remove_prefix(1);  // The rest of a truncated character.
  }
  return "..." + std::string(token);
}

std::string shown_number(std::string_view digits) {
  constexpr std::size_t kMost = 40;
  return std::string(digits.substr(0, kMost)) + (digits.size() > kMost ? "..." : "");
}

/// Forwards the events of nlohmann's parser; returning false ends it.
class JsonEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// `bytes`: size of the text.
  JsonEvents(JsonBuilder& builder, const int& line, std::size_t bytes)
      : builder_(&builder), line_(&line), bytes_(bytes) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override {
    builder_->begin_object(*line_);
    return !builder_->failed();
  }
  bool end_object() override { return end(); }
  bool start_array(std::size_t /*size*/) override {
    builder_->begin_array(*line_);
    return !builder_->failed();
  }
  bool end_array() override { return end(); }
  bool key(string_t& key) override {
    builder_->add_key(std::move(key), *line_);
    return !builder_->failed();
  }
  bool parse_error(std::size_t bytes_read, const std::string& token,
                   const nlohmann::json::exception& error) override {
    if (error.id == kNumberOverflow) {
      builder_->fail_at(*line_, Errc::kInvalid,
                        "the number " + shown_number(token) + " is out of range");
    } else if (bytes_read > bytes_) {  // The parser counts the end as one.
      builder_->fail_at(*line_, Errc::kMalformed, "not JSON, it ends too early");
    } else {
      builder_->fail_at(*line_, Errc::kMalformed, "not JSON at '" + shown_end(token) + "'");
    }
    return false;
  }

 private:
  bool add(nlohmann::json value) {
    builder_->add(std::move(value), *line_);
    return !builder_->failed();
  }
  bool end() {
    builder_->end();
    return !builder_->failed();
  }

  JsonBuilder* builder_;
  const int* line_;
  std::size_t bytes_;
};

void parse_json(std::string_view text, JsonBuilder& builder) {
  int line = 1;
  JsonEvents events(builder, line, text.size());
  try {
    static_cast<void>(nlohmann::json::sax_parse(CountingIterator(text.data(), line),
                                                CountingIterator(text.data() + text.size(), line),
                                                &events));
  } catch (const nlohmann::json::exception& error) {
    builder.fail_at(line, Errc::kMalformed, std::string("not JSON: ") + error.what());
  }
}

/// "0x1b"
std::string hexadecimal(unsigned value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[(value >> 4U) & 0xfU], kDigits[value & 0xfU]};
}

/// Refuses bytes that YAML allows in no text, except NEL (U+0085), because yaml-cpp accepts them.
/// The JSON parser itself refuses the control characters that JSON does not allow.
void check_bytes(std::string_view text, DocumentFormat format, JsonBuilder& builder) {
  const auto refuse_at = [&](std::size_t offset, const std::string& what) {
    const std::string_view before = text.substr(0, offset);
    const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    builder.fail_at(line, Errc::kMalformed, what);
  };
  if (const auto bad = config::find_invalid_utf8(text)) {
    refuse_at(*bad, "byte " + hexadecimal(static_cast<unsigned char>(text[*bad])) +
                        " is not UTF-8; allowed: UTF-8 text");
  } else if (const auto control = config::find_control_character(text);
             control && format == DocumentFormat::kYaml) {
    refuse_at(*control, "control character " +
                            hexadecimal(core::control_character_code(text.substr(*control))) +
                            "; allowed: printable text");
  }
}

void parse(std::string_view text, DocumentFormat format, JsonBuilder& builder) {
  switch (format) {
    case DocumentFormat::kYaml:
      parse_yaml(text, builder);
      return;
    case DocumentFormat::kJson:
      parse_json(text, builder);
      return;
  }
}

}  // namespace

Result<std::vector<Document>> parse_documents(std::string_view text, std::string_view name,
                                              DocumentFormat format, const DocumentLimits& limits) {
  const std::string prefix = std::string(name) + ":";
  if (text.size() > limits.bytes) {
    return fail(Errc::kExhausted,
                prefix + "1: longer than " + std::to_string(limits.bytes) + " bytes");
  }
  JsonBuilder builder(limits);
  check_bytes(text, format, builder);
  if (!builder.failed()) {
    parse(text, format, builder);
  }
  if (builder.failure()) {
    Error error = *builder.failure();
    error.context = prefix + error.context;
    return Failure(std::move(error));
  }
  std::vector<Document> documents = builder.take();
  std::erase_if(documents, [](const Document& document) { return document.value.is_null(); });
  return documents;
}

int find_line(std::string_view text, DocumentFormat format, int document_line,
              std::string_view path) {
  JsonBuilder builder(DocumentLimits{}, {document_line, std::string(path)});
  parse(text, format, builder);
  return builder.watched_line().value_or(document_line);
}

}  // namespace evictd::cluster
