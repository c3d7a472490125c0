// SPDX-License-Identifier: Apache-2.0
#include "web/readiness.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::web {
namespace {

using Json = nlohmann::ordered_json;

Json ready_with_bpf() {
  return Json::parse(R"({"last_pass": {"ms_ago": 3}, "pod_root": "/kubepods",
                         "event_source": "bpf", "reading_files": false})");
}

TEST(Readiness, IsThereWithBpf) {
  EXPECT_EQ(not_ready_because(ready_with_bpf(), ReadyRequires::kBpf), "");
  EXPECT_EQ(not_ready_because(ready_with_bpf(), ReadyRequires::kAny), "");
}

TEST(Readiness, PollingIsEnoughOnlyWhereAnyIs) {
  Json status = ready_with_bpf();
  status["event_source"] = "poll";
  EXPECT_EQ(not_ready_because(status, ReadyRequires::kAny), "");
  EXPECT_NE(not_ready_because(status, ReadyRequires::kBpf), "");
}

TEST(Readiness, AStalledTimerIsPolling) {
  Json status = ready_with_bpf();
  status["reading_files"] = true;
  EXPECT_EQ(not_ready_because(status, ReadyRequires::kAny), "");
  EXPECT_NE(not_ready_because(status, ReadyRequires::kBpf), "");
}

TEST(Readiness, NeedsAPassAndThePodsCgroup) {
  Json no_pass = ready_with_bpf();
  no_pass["last_pass"] = nullptr;
  Json no_root = ready_with_bpf();
  no_root["pod_root"] = "";
  EXPECT_NE(not_ready_because(no_pass, ReadyRequires::kAny), "");
  EXPECT_NE(not_ready_because(no_root, ReadyRequires::kAny), "");
}

}  // namespace
}  // namespace evictd::web
