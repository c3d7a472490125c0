// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/problem_log.h"

#include <algorithm>
#include <utility>

namespace evictd::daemon {

namespace {

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

void ProblemLog::log_changes(const std::vector<Error>& problems) {
  std::vector<std::string> texts;
  for (const Error& problem : problems) {
    texts.push_back(problem.message());
    if (!has(known_, texts.back())) {
      log_.warn(texts.back());
    }
  }
  for (const std::string& text : std::exchange(known_, std::move(texts))) {
    if (!has(known_, text)) {
      log_.info("a problem is over", {{"problem", text}});
    }
  }
}

}  // namespace evictd::daemon
