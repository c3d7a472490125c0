// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
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

/// Forwards the events of nlohmann's parser to the builder. Throws a Refusal.
class JsonEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// `line`: how far the parser has read.
  JsonEvents(std::string_view text, const int& line, const Dialect& dialect, TreeBuilder& builder)
      : text_(text), line_(line), dialect_(dialect), builder_(builder) {}

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
    builder_.add_key(here(), key);
    return true;
  }
  /// `bytes_read`: with the wrong one; the end counts as one.
  bool parse_error(std::size_t bytes_read, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const std::size_t offset = std::min(std::max<std::size_t>(bytes_read, 1) - 1, text_.size());
    const Place place = dialect_.names_line_only ? here() : place_of(text_, offset);
    if (error.id == kNumberOverflow) {
      constexpr std::size_t kMost = 40;
      throw Refusal(Errc::kInvalid, place,
                    fmt::format("the number {}{} is out of range", token.substr(0, kMost),
                                token.size() > kMost ? "..." : ""));
    }
    if (offset == text_.size()) {
      throw Refusal(Errc::kMalformed, place, std::string(dialect_.words.short_json));
    }
    const std::string_view rest = text_.substr(offset);
    throw Refusal(Errc::kMalformed, place,
                  fmt::format(fmt::runtime(dialect_.words.no_json), shown_end(token),
                              shown_text(rest.substr(0, rest.find_first_of("\r\n")))));
  }

 private:
  [[nodiscard]] Place here() const { return {.line = line_, .column = 1}; }
  bool add(Node node) {
    builder_.add(here(), std::move(node));
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
    builder_.open(here(), kind);
    return true;
  }
  bool close() {
    builder_.close();
    return true;
  }

  std::string_view text_;
  const int& line_;
  const Dialect& dialect_;
  TreeBuilder& builder_;
};

}  // namespace

Result<Node> parse_json(std::string_view text, std::string_view name, const Dialect& dialect) {
  // The parser itself refuses the control characters that JSON does not allow.
  constexpr bool kRefuseControls = false;
  EVICTD_TRY(check_text(text, name, dialect, kRefuseControls));
  try {
    int line = 1;
    TreeBuilder builder(dialect);
    JsonEvents events(text, line, dialect, builder);
    static_cast<void>(nlohmann::json::sax_parse(CountingIterator(text.data(), line),
                                                CountingIterator(text.data() + text.size(), line),
                                                &events));
    return std::move(builder.take().front());
  } catch (const Refusal& refusal) {
    return fail_at(dialect, name, refusal);
  }
}

}  // namespace evictd::document
