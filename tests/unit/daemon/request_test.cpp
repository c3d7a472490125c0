// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace evictd::daemon {
namespace {

TEST(Request, IsAnObjectWithTextsAndNumbers) {
  EXPECT_EQ(parse_request(R"({"op": "pause", "for_seconds": 5})")["for_seconds"], 5);
}

TEST(Request, BracketsInATextDoNotNest) {
  EXPECT_EQ(parse_request(R"({"op": "[[[[\"[[[[\\"})")["op"], R"([[[["[[[[\)");
  EXPECT_EQ(parse_request(R"([[], [], [], {}])").size(), 4U);
}

TEST(Request, ThatNestsDeeperThanAnyIsNone) {
  EXPECT_TRUE(parse_request("[[[]]]").is_discarded());
  EXPECT_TRUE(parse_request(std::string(60'000, '[')).is_discarded());
  EXPECT_TRUE(parse_request(R"({"op": {"a": {"b": 1}}})").is_discarded());
}

TEST(Request, ThatSaysAThingTwiceIsNone) {
  EXPECT_TRUE(parse_request(R"({"op": "pause", "op": "resume"})").is_discarded());
}

TEST(Request, ThatChangesSomethingHasNoMemberThatMeansNothing) {
  const auto problem_with = [](std::string_view line) {
    const auto request = parse_request(line);
    const Result<> known = expect_known_members(request["op"].get<std::string>(), request);
    return known ? std::string() : known.error().message();
  };
  EXPECT_EQ(problem_with(R"({"op":"pause","for":"10m","signals":"memory.available"})"),
            R"(signals: not a member of a request "pause"; allowed: op, for, signal)");
  EXPECT_EQ(problem_with(R"({"op":"resume","for":"10m"})"),
            R"(for: not a member of a request "resume"; allowed: op, signal)");
  EXPECT_EQ(problem_with(R"({"op":"dry_run","on":true,"x":1})"),
            R"(x: not a member of a request "dry_run"; allowed: op, on)");
  for (const char* const line : {R"({"op":"pause","for":"10m","signal":"pid.available"})",
                                 R"({"op":"resume"})", R"({"op":"status","x":1})"}) {
    EXPECT_EQ(problem_with(line), "") << line;
  }
}

TEST(Request, ComesFromTheOwnerOrTheGroupOfTheSocket) {
  EXPECT_EQ(control_socket("/run/x.sock").mode, 0660U);
}

TEST(Request, ThatIsTooLongIsToldTheLimit) {
  EXPECT_EQ(control_socket("/run/x.sock").oversized_answer,
            R"({"error":"a request is one line of at most 65536 bytes"})");
}

TEST(Request, OnAConnectionThatIsOneTooManyIsToldTheLimit) {
  EXPECT_EQ(control_socket("/run/x.sock").one_client_too_many_answer,
            R"({"error":"at most 16 connections are served at a time, and that many are open"})");
}

TEST(Request, ToFollowThatIsOneTooManyIsToldTheLimit) {
  EXPECT_EQ(control_socket("/run/x.sock").one_listener_too_many_answer,
            R"({"error":"at most 8 may follow at a time, and that many do"})");
}

TEST(Request, ThatIsNoJsonIsNone) {
  for (const char* const line : {"", "{", "{\"op\":", "\"", "\"\\", "]]]][[", "nul"}) {
    EXPECT_TRUE(parse_request(line).is_discarded()) << line;
  }
}

}  // namespace
}  // namespace evictd::daemon
