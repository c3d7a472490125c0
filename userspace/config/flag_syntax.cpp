// SPDX-License-Identifier: Apache-2.0
#include "config/flag_syntax.h"

#include <algorithm>

#include "evictd/try.h"

namespace evictd::config {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) {
    return "";
  }
  return std::string(text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1));
}

/// Removes a quoted part and the separator after it from the front of `text`.
Result<std::string> take_quoted(std::string_view& text) {
  text.remove_prefix(1);
  std::string part;
  while (!text.empty()) {
    const std::size_t quote = text.find('"');
    part += text.substr(0, quote);
    if (quote == std::string_view::npos) {
      break;
    }
    text.remove_prefix(quote + 1);
    if (text.empty() || text.front() == ',') {
      return part;
    }
    if (text.front() != '"') {
      return fail(Errc::kInvalid, "text after a closing quote");
    }
    part += '"';
    text.remove_prefix(1);
  }
  return fail(Errc::kInvalid, "an unclosed quote");
}

Result<std::string> take_plain(std::string_view& text) {
  std::string part(text.substr(0, text.find(',')));
  if (part.find('"') != std::string::npos) {
    return fail(Errc::kInvalid, "a quote inside an unquoted part");
  }
  text.remove_prefix(part.size());
  return part;
}

}  // namespace

Result<std::vector<FlagPair>> split_pairs(std::string_view text, char separator) {
  std::vector<FlagPair> pairs;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.empty()) {
      continue;
    }
    const std::size_t at = part.find(separator);
    if (at == std::string_view::npos) {
      return fail(Errc::kInvalid, std::string(part));
    }
    pairs.push_back({trimmed(part.substr(0, at)), trimmed(part.substr(at + 1))});
  }
  return pairs;
}

Result<std::vector<std::string>> split_list(std::string_view text) {
  std::vector<std::string> parts;
  bool more = !text.empty();
  while (more) {
    EVICTD_ASSIGN_OR_RETURN(std::string part,
                            text.starts_with('"') ? take_quoted(text) : take_plain(text));
    parts.push_back(std::move(part));
    more = text.starts_with(',');
    text.remove_prefix(more ? 1 : 0);
  }
  return parts;
}

}  // namespace evictd::config
