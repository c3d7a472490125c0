// SPDX-License-Identifier: Apache-2.0
#include "cluster/manifest_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "support/fake_tree.h"
#include "support/few_descriptors.h"

namespace evictd::cluster {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

std::string pod(std::string_view uid) {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  uid: " + std::string(uid) + "\n";
}

class Directory : public testing::Test {
 protected:
  Directory() { tree_.make_directory("/pods"); }
  [[nodiscard]] ManifestDirectory open(ManifestKind kind = ManifestKind::kPods) const {
    return *ManifestDirectory::open({tree_.real("/pods").string(), kind});
  }
  [[nodiscard]] static std::vector<std::string> uids(const ManifestDirectory& directory) {
    std::vector<std::string> uids;
    for (const Manifest* manifest : directory.manifests()) {
      uids.push_back(manifest->cgroup_uid);
    }
    return uids;
  }
  /// Waits for the descriptor as an event loop would, then refreshes.
  [[nodiscard]] static bool refresh_when_told(ManifestDirectory& directory) {
    constexpr int kDeadlineMs = 10'000;
    pollfd ready{directory.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&ready, 1, kDeadlineMs), 1) << "no event";
    return directory.refresh();
  }

  test::FakeTree tree_;
};

TEST_F(Directory, ReadsManifestsOfBothFormatsInOrderOfTheirNames) {
  tree_.write("/pods/b.json", R"({"apiVersion":"v1","kind":"Pod","metadata":{"uid":"2"}})");
  tree_.write("/pods/a.yaml", pod("'1'"));
  tree_.write("/pods/c.yml", pod("'3'"));
  const ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), ElementsAre("1", "2", "3"));
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, OpenedForLaterIsReadByItsFirstRefresh) {
  tree_.write("/pods/a.yaml", pod("'1'"));
  ManifestDirectory directory = *ManifestDirectory::open({.path = tree_.real("/pods").string(),
                                                          .kind = ManifestKind::kPods,
                                                          .first_reading = FirstReading::kLater});
  EXPECT_THAT(uids(directory), IsEmpty());
  tree_.write("/pods/b.yaml", pod("'2'"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("1", "2"));
  EXPECT_FALSE(directory.refresh()) << "all of it is known";
}

TEST_F(Directory, SkipsWhatIsNoManifest) {
  tree_.write("/pods/.hidden.yaml", "{");
  tree_.write("/pods/a.yaml~", "{");
  tree_.write("/pods/notes.txt", "{");
  tree_.make_directory("/pods/sub");
  const ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), IsEmpty());
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, TellsOfANewFileAndOfARemovedOne) {
  ManifestDirectory directory = open();
  tree_.write("/pods/a.yaml", pod("a"));
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  tree_.remove("/pods/a.yaml");
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), IsEmpty());
}

TEST_F(Directory, TellsOfAFileThatIsMovedIntoPlace) {
  ManifestDirectory directory = open();
  tree_.write("/a.tmp", pod("a"));
  tree_.rename("/a.tmp", "/pods/a.yaml");
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("a"));
}

TEST_F(Directory, FollowsLinksThatAreReplacedAsAWhole) {
  tree_.write("/pods/..v1/a.yaml", pod("old"));
  tree_.write("/pods/..v2/a.yaml", pod("new"));
  tree_.link("/pods/..data", "..v1");
  tree_.link("/pods/a.yaml", "..data/a.yaml");
  ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), ElementsAre("old"));
  tree_.link("/pods/..next", "..v2");
  tree_.rename("/pods/..next", "/pods/..data");
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("new"));
}

TEST_F(Directory, KeepsThePodsOfAFileThatBecameBad) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = open();
  tree_.write("/pods/a.yaml", "apiVersion: v1\nkind: Deployment\n");
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(), HasSubstr("/pods/a.yaml:2: kind: 'Deployment'"));
  EXPECT_THAT(directory.problems()[0].message(),
              EndsWith(", continuing with its pods and their protection as last read"));

  tree_.write("/pods/a.yaml", pod("b"));
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("b"));
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, ReportsABadFileAndReadsTheOthers) {
  tree_.write("/pods/a.yaml", "{");
  tree_.write("/pods/b.yaml", pod("b"));
  const ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), ElementsAre("b"));
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(), EndsWith(", continuing without it"))
      << "it never gave a pod";
}

TEST_F(Directory, NeverBlocksOnAPipeAndReportsIt) {
  ASSERT_EQ(::mkfifo(tree_.real("/pods/a.yaml").c_str(), 0600), 0);
  tree_.write("/pods/b.yaml", pod("b"));
  const ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), ElementsAre("b"));
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(),
              HasSubstr("/pods/a.yaml: a pipe; allowed: a file"));
}

TEST_F(Directory, KeepsThePodsOfAFileThatBecameADirectoryAndReportsThat) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = open();
  tree_.remove("/pods/a.yaml");
  tree_.make_directory("/pods/a.yaml");
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(),
              HasSubstr("/pods/a.yaml: a directory; allowed: a file"));

  ASSERT_EQ(::rmdir(tree_.real("/pods/a.yaml").c_str()), 0);
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), IsEmpty());
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, KeepsAllPodsWhenTheDirectoryIsGoneAndComesBackToIt) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = open();
  tree_.rename("/pods", "/away");
  EXPECT_TRUE(refresh_when_told(directory));
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(),
              EndsWith(", continuing with its pods and their protection as last read"));
  EXPECT_FALSE(directory.refresh()) << "nothing new";

  tree_.write("/pods/b.yaml", pod("b"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("b"));
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, ThatIsRemovedWithItsFilesIsAProblemUntilItIsMadeAgain) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = open();
  tree_.remove("/pods");
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("a")) << "gone with it, not removed from it";
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(), HasSubstr("/pods"));
  EXPECT_THAT(directory.problems()[0].message(),
              HasSubstr("continuing with its pods and their protection as last read"));
  EXPECT_FALSE(directory.refresh()) << "nothing new";

  tree_.write("/pods/b.yaml", pod("b"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("b"));
  EXPECT_THAT(directory.problems(), IsEmpty());
  tree_.write("/pods/c.yaml", pod("c"));
  EXPECT_TRUE(refresh_when_told(directory)) << "the new one is watched";
  EXPECT_THAT(uids(directory), ElementsAre("b", "c"));
}

TEST_F(Directory, ThatIsRemovedAfterItsFilesWereSeenToGoIsAProblemToo) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = open();
  tree_.remove("/pods/a.yaml");
  EXPECT_TRUE(refresh_when_told(directory));
  ASSERT_EQ(::rmdir(tree_.real("/pods").c_str()), 0);
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), IsEmpty());
  EXPECT_EQ(directory.problems().size(), 1U);

  tree_.write("/pods/a.yaml", pod("a"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, ThatWasReplacedBetweenTwoLooksIsReadAnew) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = open();
  tree_.remove("/pods");
  tree_.write("/pods/b.yaml", pod("b"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("b"));
  EXPECT_THAT(directory.problems(), IsEmpty());
  EXPECT_FALSE(directory.refresh()) << "all of it is known";
}

TEST_F(Directory, IsFollowedToWhereTheLinkToItLeadsNow) {
  tree_.write("/old/a.yaml", pod("a"));
  tree_.write("/new/b.yaml", pod("b"));
  ASSERT_EQ(::rmdir(tree_.real("/pods").c_str()), 0);
  tree_.link("/pods", "old");
  ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  tree_.link("/next", "new");
  tree_.rename("/next", "/pods");
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("b"));
}

TEST_F(Directory, MarksThePodsOfAStaticDirectory) {
  tree_.write("/pods/a.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: etcd\n");
  const ManifestDirectory directory = open(ManifestKind::kStatic);
  ASSERT_EQ(directory.manifests().size(), 1U);
  EXPECT_TRUE(directory.manifests()[0]->pod.from_static_source);
}

TEST_F(Directory, ThatIsNotThereYetIsAProblemUntilItIs) {
  ASSERT_EQ(::rmdir(tree_.real("/pods").c_str()), 0);
  ManifestDirectory directory = open();
  EXPECT_THAT(uids(directory), IsEmpty());
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(),
              HasSubstr("/pods: No such file or directory: evictd waits for it"));
  EXPECT_THAT(directory.problems()[0].message(), EndsWith(", continuing without it"));
  EXPECT_FALSE(directory.refresh()) << "nothing new";

  tree_.write("/pods/a.yaml", pod("a"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  EXPECT_THAT(directory.problems(), IsEmpty());
  tree_.write("/pods/b.yaml", pod("b"));
  EXPECT_TRUE(refresh_when_told(directory)) << "it is watched now";
  EXPECT_THAT(uids(directory), ElementsAre("a", "b"));
}

TEST_F(Directory, ThatCouldNotBeListedIsListedByTheNextRefresh) {
  tree_.write("/pods/a.yaml", pod("a"));
  ManifestDirectory directory = *ManifestDirectory::open({.path = tree_.real("/pods").string(),
                                                          .kind = ManifestKind::kPods,
                                                          .first_reading = FirstReading::kLater});
  {
    const test::FewDescriptors none(0);
    EXPECT_TRUE(directory.refresh());
    EXPECT_FALSE(directory.refresh()) << "the same problem";
  }
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(), HasSubstr(": evictd tries again"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, FileThatCouldNotBeReadIsReadByTheNextRefresh) {
  ManifestDirectory directory = open();
  tree_.write("/pods/a.yaml", pod("a"));
  {
    const test::FewDescriptors none(0);
    EXPECT_TRUE(directory.refresh());
    EXPECT_FALSE(directory.refresh()) << "the same problem";
  }
  EXPECT_EQ(directory.problems().size(), 1U);
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("a"));
  EXPECT_THAT(directory.problems(), IsEmpty());
}

TEST_F(Directory, FileThatIsNotUnderstoodIsNotReadAgainUntilItIsAnother) {
  tree_.write("/pods/a.yaml", "{");
  ManifestDirectory directory = open();
  EXPECT_FALSE(directory.refresh());
  EXPECT_EQ(directory.problems().size(), 1U);
}

TEST_F(Directory, InWhosePlaceAFileIsIsTriedAgain) {
  ASSERT_EQ(::rmdir(tree_.real("/pods").c_str()), 0);
  tree_.write("/pods", "");
  ManifestDirectory directory = open();
  ASSERT_EQ(directory.problems().size(), 1U);
  EXPECT_THAT(directory.problems()[0].message(), HasSubstr("/pods: Not a directory"));
  tree_.remove("/pods");
  tree_.write("/pods/a.yaml", pod("a"));
  EXPECT_TRUE(directory.refresh());
  EXPECT_THAT(uids(directory), ElementsAre("a"));
}

}  // namespace
}  // namespace evictd::cluster
