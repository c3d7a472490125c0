// SPDX-License-Identifier: Apache-2.0
#include "probe/numa_nodes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "probe/features.h"

namespace evictd::probe {

namespace {

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace

std::uint32_t count_of_list(std::string_view list) {
  std::uint32_t count = 0;
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    const std::optional<std::uint32_t> first = number_in(range);
    const std::size_t dash = range.find('-');
    const std::optional<std::uint32_t> last =
        dash == std::string_view::npos ? first : number_in(range.substr(dash + 1));
    count += first && last && *first <= *last ? *last - *first + 1 : 0;
    list.remove_prefix(std::min(list.size(), range.size() + 1));
  }
  return count;
}

std::uint32_t node_ids() {
  const std::string text = read_text("/sys/devices/system/node/possible");
  const std::size_t last = text.find_last_of(",-");
  return number_in(std::string_view(text).substr(last == std::string::npos ? 0 : last + 1))
             .value_or(0) +
         1;
}

std::uint32_t nodes_with_memory() {
  return std::max(count_of_list(read_text("/sys/devices/system/node/has_memory")), 1U);
}

}  // namespace evictd::probe
