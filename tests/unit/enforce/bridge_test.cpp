// SPDX-License-Identifier: Apache-2.0
#include "enforce/bridge.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "evictd/bytes.h"

namespace evictd::enforce {
namespace {

std::optional<Bytes> uses_64_mib() {
  return 64_MiB;
}

/// A memory.high in memory, and a bridge on it.
class BridgeOnAFile : public testing::Test {
 protected:
  BridgeOnAFile() { bridge_.use(base::Fd(::dup(file_.get()))); }

  void write(std::string_view text) const {
    EXPECT_EQ(::ftruncate(file_.get(), 0), 0);
    EXPECT_EQ(::pwrite(file_.get(), text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
  }
  /// Unlike a control file it keeps what lies beyond a write.
  [[nodiscard]] std::string first_line() const {
    std::array<char, 64> text{};
    const ssize_t length = ::pread(file_.get(), text.data(), text.size(), 0);
    const std::string whole(text.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
    return whole.substr(0, whole.find('\n'));
  }
  [[nodiscard]] bool has_note() const {
    return ::fgetxattr(file_.get(), "trusted.evictd.high", nullptr, 0) > 0;
  }

  base::Fd file_{::memfd_create("memory.high", MFD_CLOEXEC)};
  Bridge bridge_;
};

TEST_F(BridgeOnAFile, LowersToALittleAboveTheUsage) {
  write("max\n");

  const BridgeReport report = bridge_.set(uses_64_mib);

  EXPECT_EQ(report.state, BridgeState::kSet);
  EXPECT_EQ(report.before, kNoHigh);
  EXPECT_EQ(report.set, 66_MiB);
  EXPECT_EQ(first_line(), std::to_string((66_MiB).value));
  EXPECT_TRUE(has_note());
}

TEST_F(BridgeOnAFile, CountsWhatThePodGrewMeanwhile) {
  write("max\n");
  int readings = 0;

  const BridgeReport report =
      bridge_.set([&readings] { return std::optional(++readings == 1 ? 64_MiB : 70_MiB); });

  EXPECT_EQ(report.set, 72_MiB);
  Bridge later;
  later.use(base::Fd(::dup(file_.get())));
  later.recall();
  EXPECT_EQ(later.put_back(), BridgeEnd::kPutBack) << "the note has the same value";
}

TEST_F(BridgeOnAFile, EndsLaterIfThatWouldReclaim) {
  const auto uses_90_mib = [] { return std::optional(90_MiB); };
  write("max\n");
  ASSERT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kSet);
  EXPECT_FALSE(bridge_.end_would_reclaim(uses_90_mib));

  bridge_.put_back();
  write(std::to_string((80_MiB).value) + "\n");
  ASSERT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kSet);
  EXPECT_TRUE(bridge_.end_would_reclaim(uses_90_mib));
  EXPECT_FALSE(bridge_.end_would_reclaim(uses_64_mib));
}

TEST_F(BridgeOnAFile, PutsBackWhatWasThere) {
  for (const std::string& before : {std::string("max"), std::string("99999744")}) {
    write(before + "\n");
    ASSERT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kSet);

    EXPECT_EQ(bridge_.put_back(), BridgeEnd::kPutBack);

    EXPECT_EQ(first_line(), before);
    EXPECT_FALSE(has_note());
    EXPECT_EQ(bridge_.put_back(), BridgeEnd::kNothing);
  }
}

TEST_F(BridgeOnAFile, LeavesAValueThatAnotherWriterHasSet) {
  write("max\n");
  ASSERT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kSet);
  write("88888320\n");

  EXPECT_EQ(bridge_.put_back(), BridgeEnd::kNothing);

  EXPECT_EQ(first_line(), "88888320");
  EXPECT_FALSE(has_note());
}

TEST_F(BridgeOnAFile, LeavesAValueThatIsNoHigherThanItsOwn) {
  write("69206016\n");

  EXPECT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kLowAlready);

  EXPECT_EQ(first_line(), "69206016");
  EXPECT_FALSE(has_note());
}

TEST_F(BridgeOnAFile, ChangesNothingThatItCannotRead) {
  write("max\n");
  EXPECT_EQ(bridge_.set([] { return std::optional<Bytes>(); }).state, BridgeState::kUnreadable);
  EXPECT_EQ(first_line(), "max");

  write("nonsense\n");
  EXPECT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kUnreadable);
  EXPECT_EQ(first_line(), "nonsense");
}

TEST_F(BridgeOnAFile, IsNotThereWithoutAFile) {
  bridge_.close();

  EXPECT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kNoFile);
  EXPECT_EQ(bridge_.put_back(), BridgeEnd::kNothing);
}

TEST_F(BridgeOnAFile, NotesNothingThatTheKernelRefuses) {
  write("max\n");
  // It can be read and take a note, as a file whose write the kernel refuses.
  const std::string path = "/proc/self/fd/" + std::to_string(file_.get());
  bridge_.use(base::Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));

  EXPECT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kRefused);

  EXPECT_FALSE(has_note());
}

TEST_F(BridgeOnAFile, OfAnEarlierEvictdEndsByItsNote) {
  write("max\n");
  ASSERT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kSet);
  Bridge later;
  later.use(base::Fd(::dup(file_.get())));

  later.recall();

  EXPECT_EQ(later.put_back(), BridgeEnd::kPutBack);
  EXPECT_EQ(first_line(), "max");
}

TEST_F(BridgeOnAFile, IsContinuedByAnotherWithoutAFileOfItsOwn) {
  write("max\n");
  ASSERT_EQ(bridge_.set(uses_64_mib).state, BridgeState::kSet);
  Bridge newer;

  newer.continue_from(bridge_);

  EXPECT_EQ(bridge_.put_back(), BridgeEnd::kNothing) << "no longer its own";
  EXPECT_EQ(newer.put_back(), BridgeEnd::kPutBack);
  EXPECT_EQ(first_line(), "max");
}

}  // namespace
}  // namespace evictd::enforce
