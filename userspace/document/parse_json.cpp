// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "document/parse.h"
#include "document/tree_builder.h"
#include "evictd/try.h"

namespace evictd::document {
namespace {

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

/// Where and why the parser stopped.
struct Stop {
  int line = 1;
  /// Bytes read, including the wrong one; the parser counts the end as one.
  std::size_t bytes_read = 0;
  /// What it had read from the previous value on.
  std::string token;
  bool is_overflow = false;
};

/// Forwards the events of nlohmann's parser to the builder, if there is one; returning false ends
/// it.
class JsonEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonEvents(TreeBuilder* builder, const int& line) : builder_(builder), line_(&line) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add_plain(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return add_plain(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return add_plain(std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return add_plain(nlohmann::json(value).dump());
  }
  bool string(string_t& value) override { return add_scalar(std::move(value), false); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(Node::Kind::kMap); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(Node::Kind::kSequence); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (builder_ != nullptr) {
      builder_->add_key(here(), key);
    }
    return true;
  }
  bool parse_error(std::size_t bytes_read, const std::string& token,
                   const nlohmann::json::exception& error) override {
    stop_ = Stop{.line = *line_,
                 .bytes_read = bytes_read,
                 .token = token,
                 .is_overflow = error.id == kNumberOverflow};
    return false;
  }

  /// Unset if there is no error.
  [[nodiscard]] const std::optional<Stop>& stop() const { return stop_; }

 private:
  [[nodiscard]] Place here() const { return {.line = *line_, .column = 1}; }
  bool add(Node node) {
    if (builder_ != nullptr) {
      builder_->add(here(), std::move(node));
    }
    return true;
  }
  bool add_scalar(std::string text, bool plain) {
    Node node;
    node.kind = Node::Kind::kScalar;
    node.text = std::move(text);
    node.plain = plain;
    return add(std::move(node));
  }
  bool add_plain(std::string text) { return add_scalar(std::move(text), true); }
  bool open(Node::Kind kind) {
    if (builder_ != nullptr) {
      builder_->open(here(), kind);
    }
    return true;
  }
  bool close() {
    if (builder_ != nullptr) {
      builder_->close();
    }
    return true;
  }

  TreeBuilder* builder_;
  const int* line_;
  std::optional<Stop> stop_;
};

/// Throws a Refusal of the builder, which may be null.
std::optional<Stop> run_json_parser(std::string_view text, TreeBuilder* builder) {
  int line = 1;
  JsonEvents events(builder, line);
  static_cast<void>(nlohmann::json::sax_parse(CountingIterator(text.data(), line),
                                              CountingIterator(text.data() + text.size(), line),
                                              &events));
  return events.stop();
}

/// The end of a token, which is where the error is.
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

Refusal refusal_of(const Stop& stop, std::size_t bytes) {
  const Place place{.line = stop.line, .column = 1};
  if (stop.is_overflow) {
    constexpr std::size_t kMost = 40;
    return {Errc::kInvalid, place,
            fmt::format("the number {}{} is out of range", stop.token.substr(0, kMost),
                        stop.token.size() > kMost ? "..." : "")};
  }
  return {Errc::kMalformed, place,
          stop.bytes_read > bytes ? "not JSON, it ends too early"
                                  : fmt::format("not JSON at '{}'", shown_end(stop.token))};
}

}  // namespace

Result<Node> parse_json(std::string_view text, std::string_view name, const Dialect& dialect) {
  // The parser itself refuses the control characters that JSON does not allow.
  constexpr bool kRefuseControls = false;
  EVICTD_TRY(check_text(text, name, dialect, kRefuseControls));
  try {
    TreeBuilder builder(dialect);
    if (const std::optional<Stop> stop = run_json_parser(text, &builder)) {
      return fail_at(dialect, name, refusal_of(*stop, text.size()));
    }
    return std::move(builder.take().front());
  } catch (const Refusal& refusal) {
    return fail_at(dialect, name, refusal);
  }
}

Result<> check_json(std::string_view text, std::string_view name) {
  const std::optional<Stop> stop = run_json_parser(text, nullptr);
  if (!stop) {
    return {};
  }
  const std::size_t offset = std::min(std::max<std::size_t>(stop->bytes_read, 1) - 1, text.size());
  const auto [line, column] = place_of(text, offset);
  const std::string_view rest = text.substr(offset, text.find_first_of("\r\n", offset) - offset);
  return fail(Errc::kMalformed,
              offset == text.size()
                  ? fmt::format("{}:{}:{}: not valid JSON, it ends too early", name, line, column)
                  : fmt::format("{}:{}:{}: not valid JSON: {}; allowed: JSON alone, as the file "
                                "begins with {{",
                                name, line, column, shown_text(rest)));
}

}  // namespace evictd::document
