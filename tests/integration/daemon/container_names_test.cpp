// SPDX-License-Identifier: Apache-2.0
// Which containers the message of an eviction names.
#include <nlohmann/json.hpp>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

class ContainerNames : public Arena {
 protected:
  /// Writes the manifest of `pod` anew, with the status that says which container its cgroup is of.
  void write_status(const stage::StagedPod& pod) {
    Json object = Json::parse(stage::manifest(pod.spec, pod.uid));
    object["status"]["containerStatuses"] = {
        {{"name", "main"}, {"containerID", "containerd://" + pod.container.filename().string()}}};
    write_manifest(pod.spec.name, object.dump());
  }
  /// Evicts `victim`, which another pod brings about.
  Json evict(const Actor& victim) {
    Actor& hog = add_hog({.name = "hog", .priority = 7});
    limit_memory();
    start_daemon(memory_config(Source::kEvents));
    hog.load.go();
    return await_record(victim);
  }
};

TEST_F(ContainerNames, AContainerThatTheStatusTellsOfIsNamedWithWhatItUsed) {
  const Actor& victim = add({.name = "victim"}, kModest);
  write_status(victim.pod);
  const Json record = evict(victim);
  ASSERT_EQ(record["containers"].size(), 1U) << record.dump(1);
  EXPECT_EQ(record["containers"][0]["name"], "main");
  EXPECT_GE(record["containers"][0]["working_set_bytes"], kModest);
  EXPECT_GE(record["containers"][0]["age_us"], 0);
  EXPECT_EQ(record["annotations"]["offending_containers"], "main");
  const std::string usage = record["annotations"]["offending_containers_usage"];
  const std::string sentence =
      "Container main was using " + usage + ", request is 0, has larger consumption of memory. ";
  EXPECT_TRUE(record["message"].get<std::string>().ends_with(sentence)) << record["message"];
}

TEST_F(ContainerNames, AContainerThatNothingTellsOfIsNotNamed) {
  const Actor& victim = add({.name = "victim"}, kModest);
  const Json record = evict(victim);
  EXPECT_TRUE(record["containers"].empty()) << record.dump(1);
  EXPECT_EQ(record["annotations"]["offending_containers"], "");
  EXPECT_EQ(record["message"].get<std::string>().find("Container"), std::string::npos)
      << record["message"];
}

}  // namespace
}  // namespace evictd::daemon::test
