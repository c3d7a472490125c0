// SPDX-License-Identifier: Apache-2.0
// A filesystem that never answers.
#include <fcntl.h>
#include <sys/mount.h>

#include <csignal>

#include "arena.h"
#include "base/fd.h"
#include "stage/loop_filesystem.h"

namespace evictd::daemon::test {
namespace {

/// A FUSE filesystem whose server reads no request: whoever asks it waits until it is unmounted.
class SilentFilesystem : public Arena {
 protected:
  void SetUp() override {
    Arena::SetUp();
    if (IsSkipped()) {
      return;
    }
    path_ = scratch_->path() / "silent";
    std::filesystem::create_directory(path_);
    server_.reset(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
    if (!server_) {
      GTEST_SKIP() << "needs FUSE to make a filesystem that does not answer";
    }
    ASSERT_TRUE(stage::own_mount_namespace());
    const std::string options =
        "fd=" + std::to_string(server_.get()) + ",rootmode=40000,user_id=0,group_id=0";
    ASSERT_EQ(::mount("silent", path_.c_str(), "fuse", 0, options.c_str()), 0);
  }
  void TearDown() override {
    // Whoever waits for it is told that it is gone.
    server_.reset();
    ::umount2(path_.c_str(), MNT_DETACH);
    Arena::TearDown();
  }

  std::filesystem::path path_;
  base::Fd server_;
};

TEST_F(SilentFilesystem, StopsNoMemoryEvictionAndIsShown) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(Source::kEvents);
  config["evictionHard"]["imagefs.available"] = "99%";
  config["imagefsPath"] = path_.string();
  start_daemon(config);

  const Json seen = status();
  ASSERT_EQ(seen["filesystems"].size(), 2U);
  const Json& silent = seen["filesystems"][1];
  EXPECT_EQ(silent["mount_point"], path_.string());
  EXPECT_EQ(silent["type"], "fuse");
  EXPECT_EQ(silent["state"], "never_read");
  EXPECT_TRUE(silent["waiting_ms"].is_number());
  for (const Json& signal : seen["signals"]) {
    if (signal["signal"] == "imagefs.available") {
      EXPECT_EQ(signal["observed"], false);
      EXPECT_EQ(signal["met"], false);
    }
  }

  hog.load.go();
  const auto end = hog.await_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_TRUE(small.alive());
  EXPECT_TRUE(daemon_->stop());
}

}  // namespace
}  // namespace evictd::daemon::test
