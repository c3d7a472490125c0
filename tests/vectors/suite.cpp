// SPDX-License-Identifier: Apache-2.0
#include "suite.h"

#include <array>

namespace evictd::vectors {

const Suite* find_suite(std::string_view name) {
  static constexpr std::array<Suite, 11> kSuites{{
      {"quantity", answer_quantity, accept_quantity},
      {"parse_thresholds", answer_parse_thresholds, equal},
      {"thresholds", answer_thresholds, accept_thresholds},
      {"observations", answer_observations, equal},
      {"qos", answer_qos, equal},
      {"rank_memory", answer_rank_memory, accept_ranking},
      {"rank_pid", answer_rank_pid, accept_ranking},
      {"rank_disk", answer_rank_disk, accept_ranking},
      {"messages", answer_messages, equal},
      {"notifier", answer_notifier, equal},
      {"synchronize", answer_synchronize, accept_synchronize},
  }};
  for (const Suite& suite : kSuites) {
    if (suite.name == name) {
      return &suite;
    }
  }
  return nullptr;
}

bool equal(const Json& expected, const Json& actual) {
  return expected == actual;
}

}  // namespace evictd::vectors
