// SPDX-License-Identifier: Apache-2.0
// The ladder on the kernel at hand.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "base/fd.h"
#include "probe/attach_table.h"
#include "probe/doctor.h"
#include "probe/tracing_kind.h"
#include "recorder.h"
#include "support/fake_tree.h"

namespace evictd::test {
namespace {

using probe::Ladder;
using probe::Options;
using probe::Probe;
using probe::Purpose;
using probe::SupportLevel;

/// What the report says of every row of this name that was wanted and not put to work.
std::vector<std::string> reasons_of(const Ladder& ladder, std::string_view name) {
  std::vector<std::string> reasons;
  for (const probe::PurposeReport& purpose : ladder.purposes) {
    for (const probe::RowReport& row : purpose.rows) {
      if (!purpose.disabled && row.row == name && !row.chosen && !row.reason.empty()) {
        reasons.push_back(row.reason);
      }
    }
  }
  return reasons;
}

TEST(Ladder, TriesNoRowOfAKindThatTheKernelRefuses) {
  const std::string refusal = probe::refusal_of(probe::TracingKind::kFentry);
  const std::vector<std::string> reasons = reasons_of(Probe::examine({}), "fentry");
  const auto is_refusal = [&](const std::string& reason) {
    return reason.starts_with("the kernel refuses programs of fentry");
  };
  EXPECT_EQ(std::all_of(reasons.begin(), reasons.end(), is_refusal),
            !refusal.empty() || reasons.empty());
}

TEST(Ladder, ExplainsEveryRowAboveTheChosenOne) {
  const Ladder ladder = Probe::examine({});
  EXPECT_NE(ladder.level(), SupportLevel::kPollOnly);
  EXPECT_EQ(ladder.purposes.size(), probe::kPurposes);
  for (const probe::PurposeReport& purpose : ladder.purposes) {
    for (const probe::RowReport& row : purpose.rows) {
      if (row.chosen) {
        break;
      }
      EXPECT_FALSE(row.reason.empty()) << to_string(purpose.purpose) << " " << row.row;
    }
  }
}

TEST(Ladder, ServesEveryPurposeOnAKernelWithBtf) {
  const Ladder ladder = Probe::examine({});
  for (const probe::PurposeReport& purpose : ladder.purposes) {
    EXPECT_TRUE(purpose.disabled || !purpose.chosen().empty()) << doctor_text(ladder);
  }
}

TEST(Ladder, TakesNoOtherRowThanThePinnedOne) {
  for (const probe::AttachRow& row : probe::attach_table()) {
    Options options;
    options.pins[row.purpose] = row.name;
    const Ladder ladder = Probe::examine(options);
    const std::string_view chosen = ladder.chosen(row.purpose);
    EXPECT_TRUE(chosen == row.name || chosen.empty()) << row.hook << " gave " << chosen;
    EXPECT_TRUE(ladder.failure.empty()) << row.hook << ": " << ladder.failure;
  }
}

TEST(Ladder, FallsToPollingWithoutBtf) {
  const std::string path = "/nonexistent/btf";
  const Ladder ladder = Probe::examine({.custom_btf_path = path});
  EXPECT_EQ(ladder.level(), SupportLevel::kPollOnly);
  EXPECT_FALSE(ladder.failure.empty());
  EXPECT_EQ(doctor_exit_code(ladder), 2);
  const Result<std::unique_ptr<Probe>> loaded = Probe::load({.custom_btf_path = path});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::kUnsupported);
}

TEST(Ladder, WaitsForNobodyToWriteTheBtf) {
  const FakeTree tree;
  const std::string path = tree.real("/btf");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Ladder ladder = Probe::examine({.custom_btf_path = path});
  EXPECT_EQ(ladder.level(), SupportLevel::kPollOnly);
  EXPECT_NE(ladder.failure.find("read " + path + ": not a regular file"), std::string::npos)
      << ladder.failure;
}

TEST(Ladder, RefusesAPinThatNamesNoRow) {
  const Result<std::unique_ptr<Probe>> loaded = Probe::load({.pins = {{Purpose::kOom, "uprobe"}}});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::kInvalid);
  EXPECT_NE(loaded.error().message().find("tp_btf"), std::string::npos);
}

bool exists(std::uint32_t id) {
  const base::Fd fd(bpf_prog_get_fd_by_id(id));
  return static_cast<bool>(fd);
}

TEST(Ladder, LeavesNothingBehindWhenItsProcessIsKilled) {
  int pair[2] = {-1, -1};
  ASSERT_EQ(::pipe2(pair, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::unique_ptr<Probe> probe = load_probe();
    const std::vector<probe::ProgramCounters> programs =
        probe ? probe->program_counters() : std::vector<probe::ProgramCounters>{};
    for (const probe::ProgramCounters& program : programs) {
      static_cast<void>(::write(pair[1], &program.id, sizeof(program.id)));
    }
    ::close(pair[1]);
    while (true) {
      ::pause();
    }
  }
  ::close(pair[1]);
  std::vector<std::uint32_t> ids;
  std::uint32_t id = 0;
  while (::read(pair[0], &id, sizeof(id)) == sizeof(id)) {
    ids.push_back(id);
  }
  ::close(pair[0]);
  EXPECT_GT(ids.size(), 10U);
  EXPECT_TRUE(exists(ids.front()));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  // Programs are freed after an RCU grace period; their ids are taken out of the table at once when
  // the last reference goes, which a link's deferred work may hold for a moment.
  const auto left = [&] { return std::count_if(ids.begin(), ids.end(), exists); };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (left() != 0 && std::chrono::steady_clock::now() < deadline) {
    ::sched_yield();
  }
  EXPECT_EQ(left(), 0);
}

}  // namespace
}  // namespace evictd::test
