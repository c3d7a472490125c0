// SPDX-License-Identifier: Apache-2.0
#include "config/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/text_place.h"
#include "config/value.h"

namespace evictd::config {
namespace {

/// Stores only the place of the first error.
class SyntaxEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool end_array() override { return true; }
  bool key(string_t& /*key*/) override { return true; }
  bool parse_error(std::size_t bytes_read, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    bytes_read_ = bytes_read;
    return false;
  }

  /// Bytes read, including the wrong one; unset if there is no error.
  [[nodiscard]] std::optional<std::size_t> bytes_read() const { return bytes_read_; }

 private:
  std::optional<std::size_t> bytes_read_;
};

/// The line from `offset` on, as an error shows it.
std::string shown_rest(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset);
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = rest.substr(0, rest.find_first_of("\r\n"));
  node.plain = true;
  return shown(node);
}

}  // namespace

Result<> check_json(std::string_view text, std::string_view filename) {
  SyntaxEvents events;
  static_cast<void>(nlohmann::json::sax_parse(text, &events));
  if (!events.bytes_read()) {
    return {};
  }
  const std::size_t offset =
      std::min(std::max<std::size_t>(*events.bytes_read(), 1) - 1, text.size());
  const std::string place = text_place(filename, text, offset);
  if (offset == text.size()) {
    return fail(Errc::kMalformed, fmt::format("{}: not valid JSON, it ends too early", place));
  }
  return fail(Errc::kMalformed,
              fmt::format("{}: not valid JSON: {}; allowed: JSON alone, as the file begins with {{",
                          place, shown_rest(text, offset)));
}

}  // namespace evictd::config
