// SPDX-License-Identifier: Apache-2.0
// Directories of a volume are renamed while the volume is emptied.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/timer.h"
#include "disk/pod_storage.h"
#include "disk/tree_usage.h"
#include "stage/loop_filesystem.h"
#include "support/fake_tree.h"

namespace evictd::disk {
namespace {

namespace fs = std::filesystem;

/// A volume with two equal branches below a chain of directories, and a canary at each place
/// outside of the volume that a removal which has lost its way takes for a branch.
///
///   pods/u1/volumes/kubernetes.io~empty-dir/cache/d/d/.../{one,two}/c/leaf/file
class RenamedVolume : public testing::Test {
 protected:
  RenamedVolume() { pace_.restart(100'000'000); }

  void make(int depth) {
    top_ = volume();
    for (int level = 0; level < depth; ++level) {
      top_ /= "d";
    }
    for (const char* branch : {"one", "two"}) {
      write(leaf(branch) / "file");
      for (const fs::path& outside : ancestors()) {
        write(outside / branch / "canary");
      }
    }
  }
  [[nodiscard]] fs::path volume() const {
    return kubelet() / "pods/u1/volumes/kubernetes.io~empty-dir/cache";
  }
  [[nodiscard]] fs::path kubelet() const { return fs::path(tree_.path()) / "kubelet"; }
  [[nodiscard]] fs::path leaf(const std::string& branch) const {
    return top_ / branch / "c" / "leaf";
  }
  /// The directories above that of the emptyDir volumes.
  [[nodiscard]] std::vector<fs::path> ancestors() const {
    return {kubelet() / "pods/u1/volumes", kubelet() / "pods/u1", kubelet() / "pods", kubelet()};
  }
  void expect_canaries() const {
    for (const fs::path& outside : ancestors()) {
      for (const char* branch : {"one", "two"}) {
        EXPECT_TRUE(fs::exists(outside / branch / "canary")) << outside / branch;
      }
    }
  }
  static void write(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << 'x';
  }

  evictd::test::FakeTree tree_;
  fs::path top_;
  Pace pace_;
};

/// Renames the first of some directories that is opened, before it is open.
class RenamedWhenOpened {
 public:
  RenamedWhenOpened(std::vector<fs::path> directories, fs::path to)
      : directories_(std::move(directories)),
        to_(std::move(to)),
        opened_(::fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC)) {
    for (const fs::path& directory : directories_) {
      if (::fanotify_mark(opened_.get(), FAN_MARK_ADD, FAN_OPEN_PERM | FAN_ONDIR, AT_FDCWD,
                          directory.c_str()) != 0) {
        throw std::system_error(errno, std::generic_category(), "fanotify_mark");
      }
    }
    thread_ = std::thread([this] { answer(); });
  }
  RenamedWhenOpened(const RenamedWhenOpened&) = delete;
  RenamedWhenOpened& operator=(const RenamedWhenOpened&) = delete;
  ~RenamedWhenOpened() {
    stop_.signal();
    thread_.join();
  }
  [[nodiscard]] bool renamed() const { return renamed_.load(); }

 private:
  void answer() {
    std::array<pollfd, 2> watched{{{opened_.get(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}}};
    while (::poll(watched.data(), watched.size(), -1) > 0 && watched[1].revents == 0) {
      fanotify_event_metadata event{};
      if (::read(opened_.get(), &event, sizeof event) != sizeof event) {
        return;
      }
      const base::Fd file(event.fd);
      if (!renamed_.load()) {
        fs::rename(fs::read_symlink("/proc/self/fd/" + std::to_string(file.get())), to_);
        renamed_.store(true);
      }
      const fanotify_response allow{.fd = file.get(), .response = FAN_ALLOW};
      static_cast<void>(!::write(opened_.get(), &allow, sizeof allow));
    }
  }

  std::vector<fs::path> directories_;
  fs::path to_;
  base::Fd opened_;
  base::WakeUp stop_ = base::WakeUp::create().value();
  std::atomic<bool> renamed_{false};
  std::thread thread_;
};

class MovedUp : public RenamedVolume, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(ByDepth, MovedUp, testing::Values(0, 1, 40));

TEST_P(MovedUp, LeadsNoRemovalOutOfTheVolume) {
  make(GetParam());
  const RenamedWhenOpened moved({leaf("one"), leaf("two")}, volume() / "moved");
  const Result<std::uint64_t> removed = remove_empty_dir_data(kubelet(), "u1", pace_);
  EXPECT_TRUE(moved.renamed());
  expect_canaries();
  ASSERT_FALSE(removed);
  EXPECT_NE(removed.error().message().find("was moved"), std::string::npos)
      << removed.error().message();
}

TEST_P(MovedUp, LeadsNoMeasurementOutOfTheVolume) {
  make(GetParam());
  const base::Fd directory(::open(volume().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t linked = TreeWalk::kMostLinked;
  const std::uint64_t before = TreeWalk(linked).advance(directory.get(), pace_).value().inodes;
  const RenamedWhenOpened moved({leaf("one"), leaf("two")}, volume() / "moved");
  const Result<TreeUsage> usage = TreeWalk(linked).advance(directory.get(), pace_);
  EXPECT_TRUE(moved.renamed());
  ASSERT_TRUE(usage);
  EXPECT_LE(usage->inodes, before);
}

TEST_F(RenamedVolume, LosesNothingOutsideHoweverItIsRenamed) {
  for (int round = 0; round < 20; ++round) {
    make(round % 4);
    std::atomic<bool> done{false};
    std::thread renamer([&] {
      // Up and down again, never into itself: a tree that deepens with every turn is one that the
      // end of the test cannot remove.
      while (!done.load()) {
        for (const char* branch : {"one", "two"}) {
          const fs::path up = volume() / (std::string("moved-") + branch);
          std::error_code ignored;
          fs::rename(leaf(branch), up, ignored);
          fs::create_directories(up / "deeper", ignored);
          fs::create_directories(leaf(branch).parent_path(), ignored);
          fs::rename(up, leaf(branch), ignored);
        }
      }
    });
    static_cast<void>(remove_empty_dir_data(kubelet(), "u1", pace_));
    done = true;
    renamer.join();
    expect_canaries();
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST_F(RenamedVolume, EntersNoMountBelowAVolume) {
  ASSERT_TRUE(stage::own_mount_namespace());
  make(0);
  const fs::path precious = fs::path(tree_.path()) / "precious";
  write(precious / "canary");
  fs::create_directories(volume() / "mounted");
  ASSERT_EQ(::mount(precious.c_str(), (volume() / "mounted").c_str(), nullptr, MS_BIND, nullptr),
            0);
  const Result<std::uint64_t> removed = remove_empty_dir_data(kubelet(), "u1", pace_);
  EXPECT_EQ(::umount((volume() / "mounted").c_str()), 0);
  ASSERT_FALSE(removed);
  EXPECT_NE(removed.error().message().find("mount"), std::string::npos)
      << removed.error().message();
  EXPECT_TRUE(fs::exists(precious / "canary"));
  EXPECT_FALSE(fs::exists(top_ / "one")) << "the rest is removed all the same";
}

TEST_F(RenamedVolume, IsNotFoundThroughASymbolicLink) {
  make(0);
  write(kubelet() / "pods/u2/volumes/kubernetes.io~empty-dir/cache/canary");
  fs::create_directories(kubelet() / "pods/u3");
  fs::create_directory_symlink(kubelet() / "pods/u2/volumes", kubelet() / "pods/u3/volumes");
  EXPECT_FALSE(remove_empty_dir_data(kubelet(), "u3", pace_));
  const fs::path outside = fs::path(tree_.path()) / "outside/volumes/kubernetes.io~empty-dir/cache";
  write(outside / "canary");
  EXPECT_FALSE(remove_empty_dir_data(kubelet(), "../../outside", pace_));
  EXPECT_TRUE(fs::exists(outside / "canary"));
  EXPECT_TRUE(fs::exists(kubelet() / "pods/u2/volumes/kubernetes.io~empty-dir/cache/canary"));
}

}  // namespace
}  // namespace evictd::disk
