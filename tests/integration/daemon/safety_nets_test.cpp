// SPDX-License-Identifier: Apache-2.0
// What catches a fault of evictd itself or of its kernel side. Each fault is brought about from
// outside, in an evictd that works, and what the net does is seen from outside.
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include "arena.h"
#include "evictd/abi/watch.h"
#include "map_of_process.h"
#include "must.h"
#include "stage/text_file.h"
#include "stopped_thread.h"

namespace evictd::daemon::test {
namespace {

class SafetyNet : public Arena {
 protected:
  [[nodiscard]] MapOfProcess map(const std::string& name) const {
    return must(MapOfProcess::open(daemon_->pid(), name));
  }
  [[nodiscard]] pid_t thread(const std::string& name) const {
    const std::string tasks = "/proc/" + std::to_string(daemon_->pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      if (stage::read_text(task.path() / "comm").value_or("") == name + "\n") {
        return std::stoi(task.path().filename());
      }
    }
    throw std::runtime_error("evictd has no thread " + name);
  }
  /// Whether subscribers were told that `what` does not work any more.
  [[nodiscard]] bool told_degraded(std::string_view what) {
    const Json told = ask("events");
    return std::any_of(told["events"].begin(), told["events"].end(), [&](const Json& event) {
      return event.value("kind", "") == "degraded" && event.value("what", "") == what &&
             event.value("degraded", false);
    });
  }
  void expect_killed(Actor& hog) {
    const auto end = hog.await_end();
    ASSERT_TRUE(end) << log();
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  }
};

TEST_F(SafetyNet, StalledTimerIsMadeUpForByPolling) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  // The timer is all that could see a crossing, and the polling interval is one that no test lives
  // to see.
  Json config = memory_config(Source::kEvents);
  config["attachPins"] = {{"memory-charge", "none"}};
  start_daemon(config);
  ASSERT_FALSE(status()["reading_files"]);

  // To write a value that holds a timer frees that timer.
  const MapOfProcess timer = map("sweep_timer");
  must(timer.put(0, std::array<std::byte, 16>{}));

  const Json stalled = await_status([](const Json& now) { return bool{now["reading_files"]}; });
  EXPECT_EQ(stalled["counters"]["kernel"]["timer_stalled"], true);
  EXPECT_EQ(lines_with(log(), "the kernel side's timer stands still"), 1U) << log();
  EXPECT_TRUE(told_degraded("kernel_timer"));
  hog.load.go();
  expect_killed(hog);
  EXPECT_EQ(await_record(hog)["trigger"], "regular");
  EXPECT_TRUE(small.alive());
}

class FalseRows : public SafetyNet {
 protected:
  /// Slot and target of the row that shows this pod.
  [[nodiscard]] std::pair<std::uint32_t, evictd_target> target_of(const MapOfProcess& targets,
                                                                  const Actor& actor) const {
    const std::filesystem::path directory =
        tree_->memory_directory().parent_path().parent_path() / actor.pod.pod;
    struct stat facts {};
    EXPECT_EQ(::stat(directory.c_str(), &facts), 0) << directory;
    for (std::uint32_t slot = 0; slot < targets.entries(); ++slot) {
      const auto target = must(targets.at<evictd_target>(slot));
      if (target.memory_id == facts.st_ino) {
        return {slot, target};
      }
    }
    throw std::runtime_error("no row is of " + directory.string());
  }
};

TEST_F(FalseRows, AreFoundOutAndReadAnewAndTheHogDies) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(Source::kEvents);
  config["pollInterval"] = "1s";
  start_daemon(config);
  const Json before = status();
  ASSERT_EQ(before["counters"]["cross_check_disagreements"], 0U);

  // Each shows the other's memory and tasks: whoever believes it kills the small one.
  const MapOfProcess targets = map("targets");
  const auto [slot_of_small, of_small] = target_of(targets, small);
  const auto [slot_of_hog, of_hog] = target_of(targets, hog);
  evictd_target false_small = of_hog;
  false_small.generation = of_small.generation;
  evictd_target false_hog = of_small;
  false_hog.generation = of_hog.generation;
  must(targets.put(slot_of_small, false_small));
  must(targets.put(slot_of_hog, false_hog));

  await_status([&](const Json& now) {
    const Json& counters = now["counters"];
    return counters["cross_check_disagreements"] > 0 &&
           counters["resyncs"] > before["counters"]["resyncs"] &&
           counters["watched_anew"].get<std::uint64_t>() >=
               before["counters"]["watched_anew"].get<std::uint64_t>() + 2;
  });
  EXPECT_EQ(must(targets.at<evictd_target>(slot_of_small)).memory_id, of_small.memory_id);
  EXPECT_EQ(must(targets.at<evictd_target>(slot_of_hog)).memory_id, of_hog.memory_id);
  EXPECT_GE(lines_with(log(), "kernel side and files disagree: usage of pod " + small.pod.uid), 1U)
      << log();
  EXPECT_TRUE(told_degraded("cross_check"));
  hog.load.go();
  expect_killed(hog);
  EXPECT_EQ(await_record(hog)["pod"], "default/hog");
  EXPECT_TRUE(small.alive());
}

/// The ring as the kernel shares it: a position that only the reader writes, and one that only the
/// kernel does. A reader that was woken and is ahead of the kernel is told for ever that there is
/// more to read.
class Ring {
 public:
  explicit Ring(const MapOfProcess& events)
      : read_(page(events.fd(), PROT_READ | PROT_WRITE, 0)),
        written_(page(events.fd(), PROT_READ, ::sysconf(_SC_PAGESIZE))) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    ::munmap(read_, sizeof(*read_));
    ::munmap(written_, sizeof(*written_));
  }

  void put_reader_ahead() const { read_->store(written_->load() + 8); }
  void put_reader_right() const { read_->store(written_->load()); }

 private:
  using Position = std::atomic<unsigned long>;
  static Position* page(int fd, int protection, off_t offset) {
    void* const at = ::mmap(nullptr, sizeof(Position), protection, MAP_SHARED, fd, offset);
    if (at == MAP_FAILED) {
      throw std::runtime_error("cannot map the event ring");
    }
    return static_cast<Position*>(at);
  }

  Position* read_;
  Position* written_;
};

struct Privilege {
  const char* name;
  std::vector<std::string> launcher;
};

std::ostream& operator<<(std::ostream& out, const Privilege& privilege) {
  return out << privilege.name;
}

class SpinningHotThread : public SafetyNet, public testing::WithParamInterface<Privilege> {
 protected:
  void SetUp() override {
    SafetyNet::SetUp();
    if (IsSkipped() || GetParam().launcher.empty()) {
      return;
    }
    std::vector<std::string> nothing = GetParam().launcher;
    nothing.emplace_back("/bin/true");
    if (run_to_end(scratch_->path(), nothing).exit_status != 0) {
      GTEST_SKIP() << "may not raise RLIMIT_RTPRIO: vm.* runs it";
    }
  }
  /// One record at least, which wakes whoever has read all those before.
  void emit_a_record() const {
    const std::filesystem::path pod = tree_->memory_directory() / "besteffort/podspin";
    EXPECT_EQ(::mkdir(pod.c_str(), 0755), 0);
    EXPECT_EQ(::rmdir(pod.c_str()), 0);
  }
};
INSTANTIATE_TEST_SUITE_P(
    As, SpinningHotThread,
    testing::Values(Privilege{.name = "root", .launcher = {}},
                    // As a unit with LimitRTPRIO in place of the capability.
                    Privilege{.name = "LimitRtprio",
                              .launcher = {"/usr/bin/prlimit", "--rtprio=50:50", "/usr/bin/setpriv",
                                           "--bounding-set=-sys_nice"}}),
    [](const auto& privilege) { return std::string(privilege.param.name); });

TEST_P(SpinningHotThread, IsMadeAnOrdinaryOneAndEvicts) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(Source::kEvents);
  config["realtime"] = {{"limit", "50ms"}};
  start_daemon(config, GetParam().launcher);
  const pid_t hot = thread("evictd-hot");
  ASSERT_EQ(::sched_getscheduler(hot) & ~SCHED_RESET_ON_FORK, SCHED_FIFO) << log();
  ASSERT_EQ(status()["counters"]["realtime_overruns"], 0U);

  const Ring ring(map("events"));
  {
    const StoppedThread deaf(hot);
    emit_a_record();
    ring.put_reader_ahead();
  }
  await_status([&](const Json&) {
    ring.put_reader_ahead();  // Again, as the kernel may have caught up.
    return (::sched_getscheduler(hot) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER;
  });
  ring.put_reader_right();

  // Counted by the thread that has just lost its priority, and that waits for its turn now.
  await_status([](const Json& now) { return now["counters"]["realtime_overruns"] == 1U; });
  await_status([&](const Json&) { return told_degraded("realtime"); });
  EXPECT_EQ(lines_with(log(), "lost its real-time priority"), 1U) << log();
  hog.load.go();
  expect_killed(hog);
  await_record(hog);
  EXPECT_TRUE(small.alive());
}

class ServiceManager : public SafetyNet, public testing::WithParamInterface<const char*> {
 protected:
  /// A third of it is the time between two signs of life.
  static constexpr std::chrono::milliseconds kWatchdog{300};

  void expect_fed() {
    const Result<> told = daemon_->await_notify_line("WATCHDOG=1");
    EXPECT_TRUE(told) << told.error().message();
  }
  /// Whether it would end the service by now.
  [[nodiscard]] bool hears_nothing_for_its_time() {
    return !must(daemon_->sends_within("WATCHDOG=1", kWatchdog * 3));
  }
};
INSTANTIATE_TEST_SUITE_P(Hangs, ServiceManager, testing::Values("evictd-hot", "evictd"),
                         [](const auto& thread) {
                           return std::string(thread.param) == "evictd" ? "Housekeeping"
                                                                        : "HotThread";
                         });

TEST_P(ServiceManager, IsFedNoMoreByAnEvictdThatHangs) {
  limit_memory();
  const auto usec = std::chrono::microseconds(kWatchdog).count();
  start_daemon(memory_config(Source::kEvents), {}, {"WATCHDOG_USEC=" + std::to_string(usec)});
  for (int i = 0; i < 3; ++i) {
    expect_fed();
  }
  {
    const StoppedThread hangs(thread(GetParam()));
    // What it said just before it hung may come once more, and of a wake-up that was answered then.
    int signs = 0;
    while (!hears_nothing_for_its_time()) {
      ASSERT_LE(++signs, 2);
    }
  }
  expect_fed();
}

}  // namespace
}  // namespace evictd::daemon::test
