// SPDX-License-Identifier: Apache-2.0
#include "enforce/reclaimer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

constexpr Bytes kFile = 48_MiB;
/// Kernel memory of the cgroup's own, and what each CPU has charged ahead.
constexpr Bytes kOfItself = 4_MiB;

class LeftBehind : public testing::TestWithParam<PrivatePod::Kind> {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
    const std::string& own = pod_.directories().front();
    const bool is_v2 = GetParam() == PrivatePod::Kind::kV2;
    for (const char* const above : {"/../..", "/.."}) {
      std::ofstream(own + above + "/cgroup.subtree_control") << "+memory";
    }
    usage_file_ = own + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes");
    if (charged().value < 0) {
      GTEST_SKIP() << "no memory controller on this hierarchy";
    }
  }

  /// Page cache of a file on a disk, charged to the pod by a process that ends. Without a name, so
  /// that nothing of it stays.
  void leave_page_cache() {
    file_ = base::Fd(::open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    ASSERT_TRUE(file_) << "no file without a name in /var/tmp";
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      ::_exit(write_in_the_pod() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_EQ(status, 0);
  }
  /// By the test's own reading; negative for not known.
  [[nodiscard]] Bytes charged() const {
    std::int64_t bytes = -1;
    std::ifstream(usage_file_) >> bytes;
    return Bytes{bytes};
  }
  /// Page cache of the file. What is charged also falls when the kernel frees what the ended writer
  /// had, so it does not tell whether this was left alone.
  [[nodiscard]] Bytes cached() const {
    const auto size = static_cast<std::size_t>(kFile.value);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.get(), 0);
    EXPECT_NE(mapped, MAP_FAILED);
    std::vector<unsigned char> pages(size / page);
    EXPECT_EQ(::mincore(mapped, size, pages.data()), 0);
    EXPECT_EQ(::munmap(mapped, size), 0);
    const auto resident = std::ranges::count_if(pages, [](auto bits) { return (bits & 1U) != 0; });
    return Bytes{resident * static_cast<std::int64_t>(page)};
  }
  void reclaim_all() {
    const KillTarget& target = pod_.target();
    while (reclaimer_.step(target) == Reclaimer::Step::kMore) {
    }
  }

  PrivatePod pod_{GetParam()};
  std::string usage_file_;
  Reclaimer reclaimer_;

 private:
  [[nodiscard]] bool write_in_the_pod() const {
    std::ofstream(pod_.directories().front() + "/cgroup.procs") << ::getpid() << std::flush;
    const std::string block(1 << 20, 'x');
    for (Bytes written{0}; written < kFile; written = written + Bytes{1 << 20}) {
      if (::write(file_.get(), block.data(), block.size()) < 0) {
        return false;
      }
    }
    return ::fsync(file_.get()) == 0;
  }

  base::Fd file_;
};
INSTANTIATE_TEST_SUITE_P(On, LeftBehind,
                         testing::Values(PrivatePod::Kind::kV1, PrivatePod::Kind::kV2),
                         [](const auto& kind) {
                           return kind.param == PrivatePod::Kind::kV2 ? "V2" : "V1";
                         });

TEST_P(LeftBehind, PageCacheOfADeadPodIsGivenBack) {
  leave_page_cache();
  ASSERT_GE(charged(), kFile) << "nothing was left: the test shows nothing";

  reclaim_all();

  EXPECT_LT(charged(), kOfItself);
  EXPECT_EQ(cached(), Bytes{0});
  EXPECT_EQ(reclaimer_.counters().reclaims, 1U);
  EXPECT_EQ(reclaimer_.counters().failed, 0U);
}

TEST_P(LeftBehind, APodWithAProcessIsLeftAloneAlsoInACgroupThatIsNew) {
  leave_page_cache();
  ASSERT_EQ(cached(), kFile) << "nothing was left: the test shows nothing";
  // Of which the target, which is opened before, knows nothing.
  const KillTarget& target = pod_.target();
  pod_.add_container("restarted");
  pod_.start(Behaviour::kSleep, "restarted");

  EXPECT_EQ(reclaimer_.step(target), Reclaimer::Step::kDone);

  EXPECT_EQ(cached(), kFile);
  EXPECT_EQ(reclaimer_.counters().reclaims, 0U);
}

}  // namespace
}  // namespace evictd::enforce::test
