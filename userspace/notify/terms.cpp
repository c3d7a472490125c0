// SPDX-License-Identifier: Apache-2.0
#include "notify/terms.h"

#include <algorithm>
#include <cerrno>

namespace evictd::notify {
namespace {

/// Compares numbers, not enumerations: those are signed, so a word with its highest bit set would
/// be below every bound.
bool known_words(const Words& words) {
  return words.signal < std::uint32_t{EVICTD_NOTIFY_SIGNALS} &&
         words.unit < std::uint32_t{EVICTD_NOTIFY_UNITS} &&
         words.direction < std::uint32_t{EVICTD_NOTIFY_DIRECTIONS} &&
         words.mode < std::uint32_t{EVICTD_NOTIFY_MODES};
}

bool event_is_plain(const Terms& terms) {
  const std::uint64_t levels = terms.signal == EVICTD_NOTIFY_PRESSURE ? EVICTD_NOTIFY_LEVELS : 1;
  return terms.unit == EVICTD_NOTIFY_ABSOLUTE && terms.direction == EVICTD_NOTIFY_BOTH &&
         terms.hysteresis == 0 && terms.threshold < levels;
}

bool share_is_allowed(const Terms& terms) {
  return terms.unit != EVICTD_NOTIFY_OF_LIMIT ||
         (terms.signal != EVICTD_NOTIFY_RATE && terms.threshold <= EVICTD_NOTIFY_WHOLE);
}

}  // namespace

std::optional<Terms> terms_of(const Words& words, std::uint64_t threshold,
                              std::uint64_t hysteresis) {
  if (!known_words(words)) {
    return std::nullopt;
  }
  return Terms{.signal = static_cast<evictd_notify_signal>(words.signal),
               .unit = static_cast<evictd_notify_unit>(words.unit),
               .direction = static_cast<evictd_notify_direction>(words.direction),
               .mode = static_cast<evictd_notify_mode>(words.mode),
               .threshold = threshold,
               .hysteresis = hysteresis};
}

Terms in_whole_pages(Terms terms, std::uint64_t page_bytes) {
  const bool as_v1 = terms.signal == EVICTD_NOTIFY_USAGE || terms.signal == EVICTD_NOTIFY_MEMSW;
  if (as_v1 && terms.unit == EVICTD_NOTIFY_ABSOLUTE) {
    terms.threshold -= terms.threshold % page_bytes;
    terms.hysteresis = std::min(terms.hysteresis, terms.threshold);
  }
  return terms;
}

int check_terms(const Terms& terms) {
  if (terms.signal != EVICTD_NOTIFY_PRESSURE && terms.mode != EVICTD_NOTIFY_DEFAULT) {
    return EINVAL;
  }
  if (!has_value(terms.signal)) {
    return event_is_plain(terms) ? 0 : EINVAL;
  }
  return terms.hysteresis <= terms.threshold && share_is_allowed(terms) ? 0 : EINVAL;
}

}  // namespace evictd::notify
