// SPDX-License-Identifier: Apache-2.0
// Pressure and OOM. On cgroup v1 the kernel's own eventfds listen in the same cgroups and must have
// counted the same; on v2 memory.events.local counts OOMs.
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <map>
#include <vector>

#include "engine_ground.h"
#include "evictd/abi/notify_pressure.h"

namespace evictd::test {
namespace {

/// More than the cgroup may have.
constexpr std::uint64_t kEventLimit = 16 * kMega;
constexpr std::uint64_t kTooMuch = 4 * kEventLimit;

notify::Terms pressure(evictd_notify_level level, evictd_notify_mode mode = EVICTD_NOTIFY_DEFAULT) {
  return {.signal = EVICTD_NOTIFY_PRESSURE, .mode = mode, .threshold = level};
}

constexpr notify::Terms kOom{.signal = EVICTD_NOTIFY_OOM};

/// Waits until all have counted the same, which the last window of reclaim may still change.
std::uint64_t agreed(const std::vector<CountedEventfd*>& eventfds) {
  const auto counts = [&] {
    std::vector<std::uint64_t> all(eventfds.size());
    std::transform(eventfds.begin(), eventfds.end(), all.begin(),
                   [](CountedEventfd* one) { return one->count(); });
    return all;
  };
  while (true) {
    const std::vector<std::uint64_t> now = counts();
    const auto [least, most] = std::minmax_element(now.begin(), now.end());
    if (*least == *most) {
      return *most;
    }
    CountedEventfd& late = *eventfds[static_cast<std::size_t>(least - now.begin())];
    if (!late.reaches(*most)) {
      ADD_FAILURE() << "one has counted " << late.count() << ", another one " << *most;
      return *most;
    }
  }
}

/// One listener of ours, and on cgroup v1 one of the kernel's beside it.
struct Pair {
  CountedEventfd ours;
  CountedEventfd theirs;
  notify::RegistrationId id = 0;

  /// What both have counted. Only once nothing begins any more.
  std::uint64_t settled() {
    return cgroups_are_unified() ? ours.count() : agreed({&ours, &theirs});
  }
};

class EventGround : public EngineGround {
 protected:
  /// A list: who listens is looked at where it lies.
  Pair& listen_beside(const TestCgroup& cgroup, const notify::Terms& terms,
                      const std::string& words) {
    Pair& pair = pairs_.emplace_back();
    const auto listening = listen(pair.ours, terms, cgroup.memory_fd());
    EXPECT_TRUE(listening) << listening.error().message();
    pair.id = listening ? listening->id : 0;
    if (!cgroups_are_unified()) {
      const bool oom = terms.signal == EVICTD_NOTIFY_OOM;
      const base::Fd file(::openat(cgroup.memory_fd(),
                                   oom ? "memory.oom_control" : "memory.pressure_level",
                                   O_RDONLY | O_CLOEXEC));
      cgroup.write("cgroup.event_control", std::to_string(pair.theirs.get()) + " " +
                                               std::to_string(file.get()) + " " + words);
    }
    return pair;
  }
  Pair& listen_for_oom(const TestCgroup& cgroup) { return listen_beside(cgroup, kOom, ""); }

  /// A process of `cgroup` takes more than it may and is killed for it.
  static void run_out_of_memory(const TestCgroup& cgroup) {
    TestChild child(cgroup);
    EXPECT_FALSE(child.run(Work::kTouch4K, kTooMuch));
  }

  std::list<Pair> pairs_;
};

using NotifyPressure = EventGround;
using NotifyOom = EventGround;

TEST_F(NotifyPressure, OfEachLevelAndModeIsAsOftenAsTheKernelsOwn) {
  cgroup_.set_memory_limit(kEventLimit);
  std::map<evictd_notify_level, std::vector<Pair*>> pairs;
  const std::array levels{"low", "medium", "critical"};
  const std::array modes{"default", "hierarchy", "local"};
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      const auto number = static_cast<evictd_notify_level>(level);
      pairs[number].push_back(
          &listen_beside(cgroup_, pressure(number, static_cast<evictd_notify_mode>(mode)),
                         std::string(levels[level]) + "," + modes[mode]));
    }
  }
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kWriteFile, 16 * kEventLimit));
  child.kill_and_reap();
  run_out_of_memory(cgroup_);  // critical, in the end
  ASSERT_TRUE(pairs[EVICTD_NOTIFY_CRITICAL][0]->ours.reaches(1));
  std::vector<std::uint64_t> counts;
  for (const auto& [level, of_level] : pairs) {
    std::vector<CountedEventfd*> eventfds;
    for (Pair* pair : of_level) {
      eventfds.push_back(&pair->ours);
      if (!cgroups_are_unified()) {
        eventfds.push_back(&pair->theirs);
      }
    }
    counts.push_back(agreed(eventfds));
  }
  EXPECT_GE(counts[EVICTD_NOTIFY_MEDIUM], counts[EVICTD_NOTIFY_CRITICAL]);
  EXPECT_GE(counts[EVICTD_NOTIFY_LOW], counts[EVICTD_NOTIFY_MEDIUM]);
  // Most of what was written was given back without any trouble.
  const std::uint64_t plain = counts[EVICTD_NOTIFY_LOW] - counts[EVICTD_NOTIFY_MEDIUM];
  EXPECT_GT(counts[EVICTD_NOTIFY_LOW], counts[EVICTD_NOTIFY_CRITICAL]);
  if (cgroups_are_unified()) {
    // Less than a window of scanned pages makes "low" only where a look that went deep adds to it,
    // and then two fifths of the whole must have been reclaimed.
    constexpr std::uint64_t kLeastScanned = 300;
    EXPECT_LE(plain * kLeastScanned, stat_value(cgroup_.read("memory.stat"), "pgscan"));
  }
}

TEST_F(NotifyPressure, GoesUpAsItsModesSay) {
  const TestCgroup child_cgroup = cgroup_.create_child("child");
  child_cgroup.set_memory_limit(kEventLimit);
  Pair& all =
      listen_beside(cgroup_, pressure(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY), "low,hierarchy");
  Pair& unheard = listen_beside(cgroup_, pressure(EVICTD_NOTIFY_LOW), "low");
  Pair& own = listen_beside(cgroup_, pressure(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_LOCAL), "low,local");
  Pair& near = listen_beside(child_cgroup, pressure(EVICTD_NOTIFY_CRITICAL), "critical");
  run_out_of_memory(child_cgroup);
  ASSERT_TRUE(near.ours.reaches(1));
  ASSERT_TRUE(all.ours.reaches(1));
  EXPECT_EQ(own.settled(), 0U);
  // What the child's listener of "critical" did not hear, the parent's default one did.
  std::uint64_t heard = 0;
  std::uint64_t heard_by_one = 0;
  do {
    heard = all.settled();
    heard_by_one = unheard.settled() + near.settled();
  } while (heard != all.settled());
  EXPECT_EQ(heard, heard_by_one);
}

/// Cgroups one below the other. The lowest one is removed first.
class LongChain {
 public:
  LongChain(const TestCgroup& top, std::size_t depth) {
    levels_.push_back(top.create_child("level"));
    while (levels_.size() < depth) {
      levels_.push_back(levels_.back().create_child("level"));
    }
  }
  LongChain(const LongChain&) = delete;
  LongChain& operator=(const LongChain&) = delete;
  ~LongChain() {
    while (!levels_.empty()) {
      levels_.pop_back();
    }
  }
  [[nodiscard]] const std::vector<TestCgroup>& levels() const { return levels_; }
  [[nodiscard]] const TestCgroup& lowest() const { return levels_.back(); }

 private:
  std::vector<TestCgroup> levels_;
};

TEST_F(NotifyPressure, OfALongChainIsToldToThoseOnItAndToNobodyBesideIt) {
  const TestCgroup beside = cgroup_.create_child("beside");
  const LongChain chain(cgroup_, EVICTD_PRESSURE_CHAIN + 8);  // a record has room for no more
  chain.lowest().set_memory_limit(kEventLimit);
  Pair& bystander = listen_beside(beside, pressure(EVICTD_NOTIFY_LOW), "low");
  Pair& unheard = listen_beside(cgroup_, pressure(EVICTD_NOTIFY_LOW), "low");
  Pair& own = listen_beside(cgroup_, pressure(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_LOCAL), "low,local");
  Pair& top =
      listen_beside(cgroup_, pressure(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY), "low,hierarchy");
  for (const TestCgroup& level : chain.levels()) {
    listen_beside(level, pressure(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY), "low,hierarchy");
  }
  Pair& lowest = pairs_.back();
  TestChild child(chain.lowest());
  ASSERT_TRUE(child.run(Work::kWriteFile, 16 * kEventLimit));
  child.kill_and_reap();
  ASSERT_TRUE(lowest.ours.reaches(1));
  ASSERT_TRUE(top.ours.reaches(1));
  EXPECT_GE(agreed({&lowest.ours, &top.ours}), 1U);
  EXPECT_EQ(bystander.settled(), 0U) << "it is on no way up";
  EXPECT_EQ(unheard.settled(), 0U) << "somebody further down has heard it";
  EXPECT_EQ(own.settled(), 0U);
}

TEST_F(NotifyOom, IsToldOnceForEach) {
  cgroup_.set_memory_limit(kEventLimit);
  Pair& first = listen_for_oom(cgroup_);
  run_out_of_memory(cgroup_);
  ASSERT_TRUE(first.ours.reaches(1));
  const std::uint64_t before = first.settled();
  Pair& second = listen_for_oom(cgroup_);
  for (int i = 0; i < 3; ++i) {
    run_out_of_memory(cgroup_);
  }
  const std::uint64_t truth = cgroups_are_unified()
                                  ? stat_value(cgroup_.read("memory.events.local"), "oom")
                                  : first.theirs.count();
  EXPECT_GE(truth, before + 3);
  EXPECT_TRUE(first.ours.reaches(truth));
  EXPECT_TRUE(second.ours.reaches(truth - before));
  EXPECT_EQ(first.settled(), truth);
  EXPECT_EQ(second.settled(), truth - before);
}

TEST_F(NotifyOom, OfACgroupIsThatOfEverythingBelowIt) {
  const TestCgroup domain = cgroup_.create_child("domain");
  const TestCgroup full = domain.create_child("full");
  const TestCgroup beside = domain.create_child("beside");
  domain.set_memory_limit(kEventLimit);
  Pair& above = listen_for_oom(cgroup_);
  Pair& of_domain = listen_for_oom(domain);
  Pair& of_full = listen_for_oom(full);
  Pair& of_beside = listen_for_oom(beside);
  run_out_of_memory(full);
  for (Pair* pair : {&of_domain, &of_full, &of_beside}) {
    ASSERT_TRUE(pair->ours.reaches(1));
    EXPECT_EQ(pair->settled(), of_domain.settled());
  }
  EXPECT_EQ(above.settled(), 0U);
}

TEST_F(NotifyOom, IsRefusedWhereACgroupOfV2LiesTooDeep) {
  if (!cgroups_are_unified()) {
    GTEST_SKIP() << "on cgroup v1 the kernel itself tells whoever is below";
  }
  // One level is the top, which is no root.
  const LongChain chain(cgroup_, notify::OomFiles::kMostLevels);
  CountedEventfd deep;
  CountedEventfd too_deep;
  const std::size_t last = notify::OomFiles::kMostLevels - 1;
  const auto listening = listen(deep, kOom, chain.levels()[last - 1].memory_fd());
  EXPECT_TRUE(listening) << listening.error().message();
  const auto refused = listen(too_deep, kOom, chain.levels()[last].memory_fd());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sys_errno, E2BIG);
  EXPECT_EQ(engine_->counters().registrations, 1U);
}

TEST_F(NotifyOom, OfACgroupOfV2TakesNoMoreFilesThanItsUserMayHave) {
  if (!cgroups_are_unified()) {
    GTEST_SKIP() << "on cgroup v1 the kernel itself tells whoever is below";
  }
  constexpr uid_t kAnna = 1000;
  constexpr uid_t kBert = 1001;
  engine_->limit_oom_files({.root = 3, .user = 2, .others = 3});
  const TestCgroup inner = cgroup_.create_child("inner");
  const TestCgroup beside = cgroup_.create_child("beside");
  const TestCgroup another = cgroup_.create_child("another");
  const auto listen_as = [&](uid_t user, const TestCgroup& cgroup) {
    const CountedEventfd eventfd;
    const auto listening = engine_->listen({.terms = kOom,
                                            .eventfd = eventfd.duplicate(),
                                            .directory = base::Fd(::dup(cgroup.memory_fd())),
                                            .pid = 0,
                                            .number = -1,
                                            .owner = user});
    return listening ? 0 : listening.error().sys_errno;
  };
  EXPECT_EQ(listen_as(kAnna, inner), 0) << "its file and the one of the top";
  EXPECT_EQ(listen_as(kAnna, inner), 0) << "the same files";
  EXPECT_EQ(listen_as(kAnna, beside), EDQUOT);
  EXPECT_EQ(listen_as(kBert, beside), 0);
  EXPECT_EQ(listen_as(kBert + 1, another), ENOSPC);
  EXPECT_EQ(listen_as(0, another), 0);
  engine_->limit_oom_files({.root = 3, .user = 3, .others = 4});
  EXPECT_EQ(listen_as(kAnna, beside), 0) << "what was refused is not held";
}

TEST_F(NotifyOom, IsNotToldToWhoHasUnregistered) {
  cgroup_.set_memory_limit(kEventLimit);
  Pair& gone = listen_for_oom(cgroup_);
  Pair& stays = listen_for_oom(cgroup_);
  EXPECT_EQ(engine_->end(std::array{gone.id}), 1U);
  run_out_of_memory(cgroup_);
  ASSERT_TRUE(stays.ours.reaches(1));
  EXPECT_EQ(gone.ours.count(), 0U);
  EXPECT_EQ(engine_->counters().registrations, 1U);
}

TEST_F(NotifyOom, ListenersAreToldOnceOfTheRemoval) {
  CountedEventfd of_oom;
  CountedEventfd of_pressure;
  ASSERT_TRUE(listen(of_oom, kOom));
  ASSERT_TRUE(listen(of_pressure, pressure(EVICTD_NOTIFY_LOW)));
  cgroup_.remove();
  EXPECT_TRUE(of_oom.reaches(1));
  EXPECT_TRUE(of_pressure.reaches(1));
  EXPECT_EQ(engine_->counters().registrations, 0U);
  EXPECT_EQ(of_oom.count(), 1U);
  EXPECT_EQ(of_pressure.count(), 1U);
}

TEST_F(NotifyOom, HasNeitherValueNorSide) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, kOom);
  ASSERT_TRUE(listening) << listening.error().message();
  const auto seen = engine_->query(listening->id);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->side, EVICTD_NOTIFY_NO_SIDE);
  EXPECT_EQ(seen->value, 0U);
  EXPECT_EQ(seen->terms.signal, EVICTD_NOTIFY_OOM);
}

TEST_F(NotifyOom, IsRefusedWhereNoMemoryIsCounted) {
  if (cgroups_are_unified()) {
    const base::Fd root(::open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    CountedEventfd eventfd;
    const auto listening = listen(eventfd, kOom, root.get());
    ASSERT_FALSE(listening);
    EXPECT_EQ(listening.error().sys_errno, EOPNOTSUPP);
  } else {
    CountedEventfd eventfd;
    const auto listening = listen(eventfd, kOom, cgroup_.pids_fd());
    ASSERT_FALSE(listening);
    EXPECT_EQ(listening.error().sys_errno, ENOTDIR);
  }
  EXPECT_EQ(engine_->counters().registrations, 0U);
}

}  // namespace
}  // namespace evictd::test
