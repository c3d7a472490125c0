// SPDX-License-Identifier: Apache-2.0
// The real daemon on the kubelet's own sources.
#include <filesystem>
#include <utility>

#include "arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

constexpr const char* kHeader =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

class KubeletSources : public Arena {
 protected:
  void write(const std::string& name, const std::string& fields) {
    const std::filesystem::path file = scratch_->path() / name;
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(stage::replace_file(file, kHeader + fields).has_value());
  }
  /// The kubelet's sources as evictd and evictctl take them.
  [[nodiscard]] std::vector<std::string> sources() const {
    return {"--kubelet-config",
            scratch_->path() / "kubelet.yaml",
            "--kubelet-config-dir",
            scratch_->path() / "kubelet.d",
            "--eviction-soft=pid.available<1",
            "--eviction-soft-grace-period",
            "pid.available=1h",
            "--cgroup-root",
            tree_->cgroup_root(),
            "--keep-terminated-pod-volumes"};
  }
  /// Starts the daemon on all of them, with what only evictd has in its own file.
  void start() {
    std::string command = "exec \"$@\"";
    for (const std::string& option : sources()) {
      command += " '" + option + "'";
    }
    Json own = base_config(Source::kPolling);
    own["evictionHard"] = {{"memory.available", "1"}};
    start_daemon(own, {"/bin/sh", "-c", command, "sh"});
  }
  [[nodiscard]] ProgramEnd check_config(std::vector<std::string> more = {}) const {
    std::vector<std::string> command = sources();
    command.insert(command.begin(), {EVICTCTL, "check-config"});
    command.insert(command.end(), more.begin(), more.end());
    return run_to_end(scratch_->path(), std::move(command));
  }
  [[nodiscard]] static std::string threshold_of(const Json& status, std::string_view signal) {
    for (const Json& line : status["signals"]) {
      if (line["signal"] == signal) {
        return line["threshold"];
      }
    }
    return "";
  }
};

TEST_F(KubeletSources, HoldInTheRunningDaemonAsCheckConfigShowsThem) {
  write("kubelet.yaml",
        "evictionHard: {memory.available: 1Mi, pid.available: \"2\"}\nport: 10250\n");
  write("kubelet.d/10.conf", "evictionHard: {memory.available: 2Mi}\n");
  start();

  const Json seen = status();
  EXPECT_EQ(threshold_of(seen, "memory.available"), "2Mi");
  EXPECT_EQ(threshold_of(seen, "allocatableMemory.available"), "2Mi");
  EXPECT_EQ(seen["signals"].size(), 4U);
  EXPECT_EQ(lines_with(log(), "evictd ignores these kubelet settings"), 1U) << log();
  EXPECT_EQ(lines_with(log(), "keepTerminatedPodVolumes (flag --keep-terminated-pod-volumes)"), 1U);

  const ProgramEnd shown = check_config();
  EXPECT_EQ(shown.exit_status, 0) << shown.output;
  const std::string directory = scratch_->path().string();
  for (const std::string& line :
       {"memory.available: \"2Mi\"  # " + directory + "/kubelet.d/10.conf:3",
        // The file that gave the mapping is what drops the defaults; the drop-in only adds to it.
        directory + "/kubelet.yaml:3: evictionHard: drops",
        "pid.available: \"2\"  # " + directory + "/kubelet.yaml:3",
        std::string("pid.available: \"1\"  # flag --eviction-soft"), std::string("port ("),
        std::string("#   memory: 2Mi (2Mi)")}) {
    EXPECT_EQ(lines_with(shown.output, line), 1U) << line << " in " << shown.output;
  }
}

TEST_F(KubeletSources, AreReadAgainWholeOrNotAtAll) {
  write("kubelet.yaml", "evictionHard: {memory.available: 1Mi}\n");
  write("kubelet.d/10.conf", "evictionMaxPodGracePeriod: 5\n");
  start();
  const std::string own = stage::read_text(config_file()).value();

  write("kubelet.d/10.conf", "evictionHard: {memory.available: 3Mi}\n");
  reload(own);
  EXPECT_EQ(threshold_of(status(), "memory.available"), "3Mi");

  write("kubelet.yaml", "evictionHard: {memory.available: 7Mi}\n");
  write("kubelet.d/10.conf", "evictionHrd: {}\n");
  reload(own);
  EXPECT_EQ(lines_with(log(), "10.conf:3: evictionHrd: "), 1U) << log();
  EXPECT_EQ(threshold_of(status(), "memory.available"), "3Mi");
}

TEST_F(KubeletSources, AMalformedFlagStartsNothing) {
  const ProgramEnd end =
      run_to_end(scratch_->path(), {EVICTD, "--eviction-hard=memory.available=1Gi"});
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_EQ(lines_with(end.output, "flag --eviction-hard: evictionHard: "), 1U) << end.output;
  EXPECT_EQ(run_to_end(scratch_->path(), {EVICTD, "--eviction-soft"}).exit_status, 2);
}

TEST_F(KubeletSources, TheDaemonsConditionsDecideWhoIsAdmitted) {
  write("kubelet.yaml", "evictionHard: {memory.available: 99%}\n");
  write("kubelet.d/10.conf", "maxPods: 1\n");
  start();
  await_status([](const Json& now) { return has_condition(now, "MemoryPressure"); });
  const std::filesystem::path pod = scratch_->path() / "pod.yaml";
  ASSERT_TRUE(stage::replace_file(pod,
                                  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
                                  "spec: {containers: [{name: c}]}\n")
                  .has_value());
  const ProgramEnd end = run_to_end(
      scratch_->path(), {EVICTCTL, "admit", pod, "--socket", scratch_->path() / "control.sock"});
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_EQ(end.output,
            "default/a: refused: Evicted: The node had condition: [MemoryPressure]. \n");
}

}  // namespace
}  // namespace evictd::daemon::test
