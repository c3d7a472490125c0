// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "kube/pod_source.h"

namespace evictd::kube::test {

/// What a source told.
class RecordingSink final : public PodSink {
 public:
  void on_list(std::vector<PodDocument> pods, MonoTime /*now*/) override {
    ++lists;
    uids.clear();
    for (const PodDocument& pod : pods) {
      uids.insert(pod.uid);
    }
  }
  void on_pod(PodDocument pod) override { uids.insert(pod.uid); }
  void on_deleted(const std::string& uid) override { uids.erase(uid); }
  void on_confirmed(MonoTime now) override { confirmed = now; }
  [[nodiscard]] bool knows_pods() const override { return !uids.empty(); }

  int lists = 0;
  std::set<std::string> uids;
  MonoTime confirmed{};
};

inline MonoTime at_ms(std::int64_t ms) {
  return MonoTime(std::chrono::seconds(1000) + std::chrono::milliseconds(ms));
}

inline Answer answer_of(std::string body, int status = 200) {
  Answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

inline Answer no_answer() {
  Answer answer;
  answer.error = Error{.code = Errc::kIo, .sys_errno = 0, .context = "connection refused"};
  return answer;
}

}  // namespace evictd::kube::test
