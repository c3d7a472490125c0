// SPDX-License-Identifier: Apache-2.0
#include "kube/manifest_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cluster/manifest_directory.h"
#include "recorded.h"
#include "support/temporary_directory.h"

namespace evictd::kube {
namespace {

class ManifestWriterTest : public testing::Test {
 protected:
  static PodDocument pod(const std::string& uid) {
    return pod_document(nlohmann::json::parse(test::pod_json(uid))).value();
  }
  /// What evictd makes of the directory.
  [[nodiscard]] std::size_t read_by_evictd() const {
    const auto directory = cluster::ManifestDirectory::open({.path = path_});
    EXPECT_TRUE(directory->problems().empty());
    return directory->manifests().size();
  }
  [[nodiscard]] std::time_t confirmed() const {
    struct stat status {};
    EXPECT_EQ(::stat((path_ + "/.confirmed").c_str(), &status), 0);
    return status.st_mtim.tv_sec;
  }

  evictd::test::TemporaryDirectory directory_;
  std::string path_ = (directory_.path() / "kube/pods").string();
};

TEST_F(ManifestWriterTest, EvictdReadsWhatItWrites) {
  auto writer = ManifestWriter::open(path_);
  ASSERT_TRUE(writer) << writer.error().message();
  EXPECT_TRUE(writer->write(pod("a")));
  EXPECT_TRUE(writer->write(pod("b")));
  EXPECT_EQ(read_by_evictd(), 2U);
  EXPECT_TRUE(writer->remove("a"));
  EXPECT_TRUE(writer->remove("never-there"));
  EXPECT_EQ(read_by_evictd(), 1U);
}

TEST_F(ManifestWriterTest, NothingIsConfirmedBeforeItIsSaid) {
  auto writer = ManifestWriter::open(path_);
  ASSERT_TRUE(writer);
  EXPECT_EQ(confirmed(), 0);
  EXPECT_TRUE(writer->confirm());
  const std::time_t then = confirmed();
  EXPECT_GT(then, 0);
  writer = ManifestWriter::open(path_);
  EXPECT_EQ(confirmed(), then) << "a restart confirms nothing and forgets nothing";
}

TEST_F(ManifestWriterTest, ADirectoryOfSomebodyElseIsRefused) {
  std::filesystem::create_directories(path_);
  std::ofstream(path_ + "/web.json") << "{}";
  const auto writer = ManifestWriter::open(path_);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, Errc::kInvalid);
  EXPECT_TRUE(std::filesystem::exists(path_ + "/web.json"));
}

TEST_F(ManifestWriterTest, OneAtATimeKeepsADirectory) {
  const auto first = ManifestWriter::open(path_);
  ASSERT_TRUE(first);
  const auto second = ManifestWriter::open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
}

TEST_F(ManifestWriterTest, AfterARestartItKnowsWhatIsThere) {
  {
    auto writer = ManifestWriter::open(path_);
    ASSERT_TRUE(writer->write(pod("a")));
  }
  std::ofstream(path_ + "/.unfinished") << "{";
  std::ofstream(path_ + "/b.json") << R"({"kind":"Pod)";
  auto writer = ManifestWriter::open(path_);
  const std::vector<PodDocument> documents = writer->read_all();
  ASSERT_EQ(documents.size(), 1U);
  EXPECT_EQ(documents[0].uid, "a");
  EXPECT_EQ(documents[0].text, pod("a").text);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/.unfinished")) << "a crash left it";
  EXPECT_FALSE(std::filesystem::exists(path_ + "/b.json")) << "nobody can read it";
}

}  // namespace
}  // namespace evictd::kube
