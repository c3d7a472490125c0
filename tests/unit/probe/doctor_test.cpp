// SPDX-License-Identifier: Apache-2.0
#include "probe/doctor.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::probe {
namespace {

PurposeReport purpose(Purpose which, bool chosen, std::string lost = "") {
  return {.purpose = which,
          .rows = {{.row = "fentry", .hook = "fentry/x", .chosen = false, .reason = "refused"},
                   {.row = "tp_btf", .hook = "tp_btf/y", .chosen = chosen, .reason = ""}},
          .lost = std::move(lost),
          .disabled = false};
}

Ladder ladder_of(std::vector<PurposeReport> purposes) {
  Ladder ladder;
  ladder.purposes = std::move(purposes);
  ladder.kernel = {
      {.name = "BTF", .presence = Presence::kPresent, .detail = "/sys/kernel/btf/vmlinux"}};
  ladder.privileges = {{.name = "CAP_KILL", .presence = Presence::kPresent, .detail = ""}};
  return ladder;
}

TEST(Doctor, ExitsZeroWhenNothingIsLost) {
  const Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  EXPECT_EQ(ladder.level(), SupportLevel::kFull);
  EXPECT_EQ(doctor_exit_code(ladder), 0);
}

TEST(Doctor, ExitsOneWhenSomethingIsLost) {
  EXPECT_EQ(doctor_exit_code(ladder_of({purpose(Purpose::kMemoryCharge, true, "a little")})), 1);
  EXPECT_EQ(doctor_exit_code(
                ladder_of({purpose(Purpose::kMemoryCharge, true), purpose(Purpose::kOom, false)})),
            1);
}

TEST(Doctor, ExitsOneWhenAPrivilegeIsMissing) {
  Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  ladder.privileges[0] = {
      .name = "CAP_SYS_NICE", .presence = Presence::kAbsent, .detail = "no SCHED_FIFO"};
  EXPECT_EQ(ladder.level(), SupportLevel::kDegraded);
  EXPECT_EQ(doctor_exit_code(ladder), 1);
}

TEST(Doctor, NeitherClaimsNorDeniesWhatIsUnknown) {
  Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  ladder.privileges[0] = {
      .name = "CAP_BPF", .presence = Presence::kUnknown, .detail = "unknown: not readable"};
  EXPECT_EQ(ladder.level(), SupportLevel::kDegraded);
  EXPECT_NE(doctor_text(ladder).find("  ?   CAP_BPF          unknown: not readable\n"),
            std::string::npos)
      << doctor_text(ladder);
  EXPECT_TRUE(nlohmann::json::parse(doctor_json(ladder))["privileges"][0]["present"].is_null());
}

TEST(Doctor, ExitsTwoWhenNothingNoticesACrossing) {
  EXPECT_EQ(doctor_exit_code(ladder_of({purpose(Purpose::kOom, true)})), 2);
  Ladder failed = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  failed.failure = "no BTF";
  EXPECT_EQ(doctor_exit_code(failed), 2);
}

TEST(Doctor, NoMemoryControllerIsUnusableWhateverCanBeHooked) {
  for (const bool hooked : {true, false}) {
    Ladder ladder =
        ladder_of({purpose(Purpose::kMemoryCharge, hooked, "memory thresholds are polled")});
    ladder.kernel.push_back({.name = std::string(kMemoryControllerFact),
                             .presence = Presence::kAbsent,
                             .detail = "not mounted"});
    EXPECT_EQ(ladder.level(), SupportLevel::kUnusable);
    EXPECT_EQ(ladder.detects(), hooked);
    EXPECT_EQ(doctor_exit_code(ladder), 2);
    const std::string text = doctor_text(ladder);
    EXPECT_TRUE(text.starts_with("unusable: there is no cgroup memory controller")) << text;
    EXPECT_EQ(text.find("poll"), std::string::npos) << text;
    const nlohmann::json json = nlohmann::json::parse(doctor_json(ladder));
    EXPECT_EQ(json["level"], "unusable");
    EXPECT_EQ(json["exit_code"], 2);
    EXPECT_EQ(json["purposes"][0]["lost"], "");
  }
}

TEST(Doctor, DoesNotCallUnusableWhatCannotBeRead) {
  Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  ladder.kernel.push_back({.name = std::string(kMemoryControllerFact), .detail = "unknown"});
  EXPECT_EQ(ladder.level(), SupportLevel::kFull);
}

TEST(Doctor, DoesNotCallAPurposeThatIsSwitchedOffALoss) {
  PurposeReport off = purpose(Purpose::kPerPageCharge, false);
  off.disabled = true;
  EXPECT_EQ(doctor_exit_code(ladder_of({purpose(Purpose::kMemoryCharge, true), off})), 0);
}

TEST(Doctor, CallsAPurposeThatIsSwitchedOffALossIfSomethingIsLost) {
  PurposeReport off = purpose(Purpose::kOom, false, "kills are not seen");
  off.disabled = true;
  EXPECT_EQ(doctor_exit_code(ladder_of({purpose(Purpose::kMemoryCharge, true), off})), 1);
}

TEST(Doctor, PrintsRowsReasonsLossesFeaturesAndPrivileges) {
  Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true, "2 MiB late")});
  ladder.failure = "it broke";
  ladder.privileges[0] = {
      .name = "CAP_KILL", .presence = Presence::kAbsent, .detail = "pods cannot be signalled"};
  const std::string text = doctor_text(ladder);
  for (const std::string_view word :
       {"memory-charge", "fentry/x", "refused", "* tp_btf", "lost: 2 MiB late", "yes BTF",
        "no  CAP_KILL", "pods cannot be signalled", "it broke"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

TEST(Doctor, PrintsTheSameAsJsonOnOneLine) {
  const Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true, "2 MiB \"late\"")});
  EXPECT_EQ(doctor_json(ladder).find('\n'), doctor_json(ladder).size() - 1);
  const nlohmann::json json = nlohmann::json::parse(doctor_json(ladder));
  EXPECT_EQ(json["level"], "degraded");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["purposes"][0]["purpose"], "memory-charge");
  EXPECT_EQ(json["purposes"][0]["chosen"], "tp_btf");
  EXPECT_EQ(json["purposes"][0]["lost"], "2 MiB \"late\"");
  EXPECT_EQ(json["purposes"][0]["rows"][0]["reason"], "refused");
  EXPECT_EQ(json["kernel"][0]["present"], true);
  EXPECT_EQ(json["privileges"][0]["name"], "CAP_KILL");
}

NotifyHooks notify_hooks(bool wanted, std::string lost) {
  return {.rows = {{.row = "fexit", .hook = "fexit/z", .chosen = false, .reason = "no\nfexit"},
                   {.row = "tp_btf", .hook = "tp_btf/z", .chosen = true, .reason = ""}},
          .lost = std::move(lost),
          .wanted = wanted};
}

TEST(Doctor, WhatNotificationsLoseCountsOnlyWhereTheyAreWanted) {
  const Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  EXPECT_EQ(doctor_exit_code(ladder, notify_hooks(false, "late")), 0);
  EXPECT_EQ(doctor_exit_code(ladder, notify_hooks(true, "")), 0);
  EXPECT_EQ(doctor_exit_code(ladder, notify_hooks(true, "late")), 1);
  Ladder polling = ladder;
  polling.failure = "no BTF";
  EXPECT_EQ(doctor_exit_code(polling, notify_hooks(true, "late")), 2);
}

TEST(Doctor, PrintsTheHooksOfNotifications) {
  const Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  const std::string text = doctor_text(ladder, notify_hooks(false, "seen late"));
  EXPECT_TRUE(text.starts_with("full: ")) << text;
  EXPECT_NE(text.find("notifications; what is lost counts with --notify\n"
                      "notify           tp_btf\n"
                      "    fexit       fexit/z\n"
                      "        no\\x0afexit\n"
                      "  * tp_btf      tp_btf/z\n"
                      "    lost: seen late\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(doctor_text(ladder, notify_hooks(true, "seen late")).starts_with("degraded: "));
  EXPECT_EQ(doctor_text(ladder).find("notif"), std::string::npos);
}

TEST(Doctor, NotificationsLoseNothingToAnEvictdThatDoesNotStart) {
  Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  ladder.kernel.push_back({.name = std::string(kMemoryControllerFact),
                           .presence = Presence::kAbsent,
                           .detail = "not mounted"});
  const NotifyHooks notify = notify_hooks(false, "files are read");
  EXPECT_EQ(doctor_text(ladder, notify).find("files are read"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(doctor_json(ladder, notify));
  EXPECT_EQ(json["purposes"].back()["lost"], "");
}

TEST(Doctor, TheJsonHasNotificationsAsTheLastPurpose) {
  const Ladder ladder = ladder_of({purpose(Purpose::kMemoryCharge, true)});
  const nlohmann::json json =
      nlohmann::json::parse(doctor_json(ladder, notify_hooks(true, "seen late")));
  EXPECT_EQ(json["level"], "degraded");
  EXPECT_EQ(json["exit_code"], 1);
  const nlohmann::json& notify = json["purposes"].back();
  EXPECT_EQ(notify["purpose"], "notify");
  EXPECT_EQ(notify["chosen"], "tp_btf");
  EXPECT_EQ(notify["lost"], "seen late");
  EXPECT_EQ(notify["counts"], true);
  EXPECT_EQ(notify["rows"][0]["reason"], "no\nfexit");
}

}  // namespace
}  // namespace evictd::probe
