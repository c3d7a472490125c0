// SPDX-License-Identifier: Apache-2.0
#include "cluster/named_container.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::cluster {
namespace {

class NamedContainers : public testing::Test {
 protected:
  NamedContainers() { entry_.cgroup.emplace().path = "/kubepods/podu"; }

  /// A cgroup of a container whose id is 64 times `digit`, called as the runtimes do.
  void cgroup(char digit, const std::string& before = "", const std::string& behind = "") {
    const std::string id(64, digit);
    const std::string name = before + id + behind;
    const std::optional<std::string> read = parse_container_name(name);
    ASSERT_TRUE(read);
    entry_.cgroup->containers.push_back(
        {.id = *read, .path = entry_.cgroup->path + "/" + name, .memory_id = {}});
  }
  void status(const std::string& name, char digit) {
    entry_.pod.container_statuses.push_back({.name = name, .id = std::string(64, digit)});
  }
  /// "NAME:DIGIT" each, of the ids in the paths.
  [[nodiscard]] std::string named() const {
    std::string text;
    for (const NamedContainer& one : named_containers(entry_)) {
      const std::string_view leaf = leaf_of(one.path);
      text += one.name + ":" + parse_container_name(leaf).value_or("?").front() + " ";
    }
    return text;
  }

  PodEntry entry_;
};

TEST_F(NamedContainers, AreThoseOfTheStatusInItsOrder) {
  cgroup('a');
  cgroup('b');
  cgroup('c');
  status("web", 'c');
  status("log", 'a');
  EXPECT_EQ(named(), "web:c log:a ") << "b is the sandbox, which no status names";
}

TEST_F(NamedContainers, AreFoundWhateverTheRuntimeCallsTheirScopes) {
  cgroup('a', "cri-containerd-", ".scope");
  cgroup('b', "crio-", ".scope");
  cgroup('c', "docker-", ".scope");
  status("one", 'a');
  status("two", 'b');
  status("three", 'c');
  EXPECT_EQ(named(), "one:a two:b three:c ");
}

TEST_F(NamedContainers, LeaveOutOneThatWasStartedAfterTheStatusWasWritten) {
  cgroup('a');
  cgroup('d');
  status("web", 'a');
  status("log", 'b');
  EXPECT_EQ(named(), "web:a ");
}

TEST_F(NamedContainers, AreNotGuessedWithoutAStatus) {
  cgroup('a');
  entry_.pod.containers.emplace_back().name = "only";
  EXPECT_EQ(named(), "") << "it may be the sandbox alone, between two containers";
}

TEST_F(NamedContainers, AreNoneWithoutACgroup) {
  status("web", 'a');
  entry_.cgroup.reset();
  EXPECT_EQ(named(), "");
}

TEST_F(NamedContainers, AreNotMoreThanThereAreCgroups) {
  cgroup('a');
  status("web", 'a');
  status("again", 'a');
  EXPECT_EQ(named(), "web:a ");
}

}  // namespace
}  // namespace evictd::cluster
