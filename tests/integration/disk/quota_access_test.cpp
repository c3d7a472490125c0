// SPDX-License-Identifier: Apache-2.0
// Who may ask for a quota, and how.
#include <gtest/gtest.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "counting_disk.h"
#include "support/file_project.h"
#include "support/refused_call.h"

namespace evictd::disk::test {
namespace {

using evictd::test::give_project;
using evictd::test::refuse_call;

/// This thread without CAP_SYS_ADMIN for as long as this lives.
class WithoutAdmin {
 public:
  WithoutAdmin() { set(CAP_CLEAR); }
  WithoutAdmin(const WithoutAdmin&) = delete;
  WithoutAdmin& operator=(const WithoutAdmin&) = delete;
  ~WithoutAdmin() { set(CAP_SET); }

 private:
  static void set(cap_flag_value_t value) {
    const std::unique_ptr<_cap_struct, int (*)(void*)> all(::cap_get_proc(), ::cap_free);
    constexpr cap_value_t kAdmin = CAP_SYS_ADMIN;
    EXPECT_EQ(::cap_set_flag(all.get(), CAP_EFFECTIVE, 1, &kAdmin, value), 0);
    EXPECT_EQ(::cap_set_proc(all.get()), 0);
  }
};

class QuotaAccess : public CountingDisk {
 protected:
  void SetUp() override {
    CountingDisk::SetUp();
    if (!disk_) {
      return;
    }
    volume_ = add_volume("u1", "data");
    give_project(volume_, kProject);
    write(volume_ / "one", 1 * kMiB);
    // A walk would find another inode than the quota.
    std::filesystem::create_directory(volume_ / "foreign");
    give_project(volume_ / "foreign", kProject + 1);
  }

  std::filesystem::path volume_;
};
INSTANTIATE_TEST_SUITE_P(On, QuotaAccess,
                         testing::Values(stage::FilesystemType::kExt4, stage::FilesystemType::kXfs),
                         name_of);

TEST_P(QuotaAccess, NoNodeOfTheDeviceIsNeeded) {
  const Truth counted = by_quota(kProject);
  ASSERT_EQ(::mount("none", "/dev", "tmpfs", 0, nullptr), 0);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(::umount("/dev"), 0);
  EXPECT_EQ(storage.method, StorageMethod::kQuota);
  EXPECT_EQ(first_volume(storage), counted);
}

TEST_P(QuotaAccess, AKernelThatAnswersByDeviceAloneIsAskedSo) {
  const auto measured_where_refused = [this](unsigned error) {
    const Truth counted = by_quota(kProject);
    if (!refuse_call(SYS_quotactl_fd, error)) {
      std::exit(2);
    }
    const PodStorage storage = measure("u1");
    std::exit(storage.method == StorageMethod::kQuota && first_volume(storage) == counted ? 0 : 1);
  };
  EXPECT_EXIT(measured_where_refused(ENOSYS), testing::ExitedWithCode(0), "") << "before 5.14";
  EXPECT_EXIT(measured_where_refused(EPERM), testing::ExitedWithCode(0), "") << "a filter";
}

TEST_P(QuotaAccess, WithoutThePrivilegeAVolumeIsWalked) {
  const Truth whole = by_files(volume_);
  const auto measured = [this] {
    const WithoutAdmin without;
    return measure("u1");
  };

  const PodStorage storage = measured();

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_TRUE(storage.complete);
  EXPECT_EQ(first_volume(storage), whole);
  EXPECT_NE(first_volume(storage), by_quota(kProject));
}

}  // namespace
}  // namespace evictd::disk::test
