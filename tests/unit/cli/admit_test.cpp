// SPDX-License-Identifier: Apache-2.0
#include "cli/admit.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "base/unix_socket.h"
#include "support/fake_tree.h"

namespace evictd::cli {
namespace {

constexpr const char* kBestEffort = R"(apiVersion: v1
kind: Pod
metadata: {name: batch, namespace: jobs}
spec:
  containers: [{name: main, image: batch}]
)";
constexpr const char* kBurstable = R"(apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: main
    resources: {requests: {memory: 64Mi}}
)";
constexpr const char* kCritical = R"(apiVersion: v1
kind: Pod
metadata: {name: dns, namespace: kube-system}
spec:
  priority: 2000000000
  containers: [{name: main}]
)";
constexpr const char* kTolerant = R"(apiVersion: v1
kind: Pod
metadata: {name: agent}
spec:
  tolerations: [{key: node.kubernetes.io/memory-pressure, operator: Exists, effect: NoSchedule}]
  containers: [{name: main}]
)";

/// One run over a file of the given text, with conditions supposed.
struct Asked {
  Asked(const std::string& text, const std::string& conditions, bool json = false,
        const std::string& name = "/pod.yaml") {
    const test::FakeTree tree;
    tree.write(name, text);
    path = tree.real(name);
    std::ostringstream out_stream;
    std::ostringstream error_stream;
    exit_status = admit({.path = path,
                         .socket = "/nonexistent.sock",
                         .conditions = conditions,
                         .compatibility = std::nullopt,
                         .json = json},
                        out_stream, error_stream);
    out = out_stream.str();
    errors = error_stream.str();
  }

  std::string path;
  int exit_status = -1;
  std::string out;
  std::string errors;
};

TEST(Admit, TakesEveryPodWithoutACondition) {
  const Asked run(kBestEffort, "");
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.out, "jobs/batch: admitted\n");
  EXPECT_EQ(run.errors, "");
}

TEST(Admit, MemoryPressureRefusesBestEffortInKubeletsWords) {
  const Asked run(kBestEffort, "MemoryPressure");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.out, "jobs/batch: refused: Evicted: The node had condition: [MemoryPressure]. \n");
}

TEST(Admit, TakesABurstableAndATolerantPodUnderMemoryPressureAlone) {
  EXPECT_EQ(Asked(kBurstable, "MemoryPressure").exit_status, 0);
  EXPECT_EQ(Asked(kTolerant, "MemoryPressure").exit_status, 0);
}

TEST(Admit, RefusesAllButCriticalPodsUnderAnyOtherCondition) {
  EXPECT_EQ(Asked(kBurstable, "DiskPressure").exit_status, 1);
  EXPECT_EQ(Asked(kTolerant, "PIDPressure").exit_status, 1);
  EXPECT_EQ(Asked(kBurstable, "MemoryPressure,DiskPressure").out,
            "default/web: refused: Evicted: The node had condition: [DiskPressure "
            "MemoryPressure]. \n");
  EXPECT_EQ(Asked(kCritical, "DiskPressure,MemoryPressure,PIDPressure").exit_status, 0);
}

TEST(Admit, AnswersForEachPodOfSeveralDocuments) {
  const Asked run(std::string(kBestEffort) + "---\n" + kBurstable, "MemoryPressure");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.out,
            "jobs/batch: refused: Evicted: The node had condition: [MemoryPressure]. \n"
            "default/web: admitted\n");
}

TEST(Admit, ReadsJsonAndListsOfPods) {
  const std::string pod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}})";
  EXPECT_EQ(Asked(pod, "MemoryPressure").out,
            "default/a: refused: Evicted: The node had condition: [MemoryPressure]. \n");
  EXPECT_EQ(Asked(pod, "", false, "/pod.json").exit_status, 0);
  EXPECT_EQ(Asked(R"({"apiVersion":"v1","kind":"List","items":[)" + pod + "," + pod + "]}", "").out,
            "default/a: admitted\ndefault/a: admitted\n");
}

TEST(Admit, RefusesWhatNestsTooDeepWithOneError) {
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  for (const std::string& text :
       {deep, R"({"kind": "List", "apiVersion": "v1", "items": )" + deep + "}",
        "kind: List\napiVersion: v1\nitems: " + deep}) {
    const Asked run(text, "");
    EXPECT_EQ(run.exit_status, kNoAnswer);
    EXPECT_NE(run.errors.find("nested deeper than 64 levels"), std::string::npos) << run.errors;
    EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << "one line";
  }
}

TEST(Admit, JsonNamesConditionsReasonAndMessage) {
  const Asked run(kBestEffort, "MemoryPressure", true);
  const nlohmann::json answer = nlohmann::json::parse(run.out);
  EXPECT_EQ(answer["conditions"], nlohmann::json({"MemoryPressure"}));
  EXPECT_EQ(answer["compatibility"], "1.32");
  const nlohmann::json& pod = answer["pods"].at(0);
  EXPECT_EQ(pod["admitted"], false);
  EXPECT_EQ(pod["reason"], "Evicted");
  EXPECT_EQ(pod["message"], "The node had condition: [MemoryPressure]. ");
  EXPECT_EQ(pod["qos"], "BestEffort");
}

TEST(Admit, AStaticPodIsAlwaysTaken) {
  const std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: etcd\n  annotations: "
      "{kubernetes.io/config.source: file}\nspec:\n  containers: [{name: c}]\n";
  EXPECT_EQ(Asked(text, "DiskPressure").exit_status, 0);
}

TEST(Admit, WhatCannotBeAnsweredIsAnErrorAndNoAnswer) {
  const Asked condition(kBestEffort, "memorypressure");
  EXPECT_EQ(condition.exit_status, 2);
  EXPECT_EQ(condition.out, "");
  EXPECT_EQ(condition.errors,
            "evictctl: --conditions: \"memorypressure\": unknown condition; allowed: "
            "MemoryPressure, DiskPressure, PIDPressure, separated by commas, or nothing\n");
  EXPECT_EQ(Asked("kind: Service\napiVersion: v1\n", "").exit_status, 2);
  EXPECT_EQ(Asked("", "").exit_status, 2);
  const Asked field(std::string(kBestEffort) + "  priority: high\n", "");
  EXPECT_EQ(field.exit_status, 2);
  EXPECT_NE(field.errors.find(field.path + ":6: spec.priority: "), std::string::npos)
      << field.errors;
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(admit({.path = "/nonexistent/pod.yaml",
                   .socket = "",
                   .conditions = "",
                   .compatibility = std::nullopt,
                   .json = false},
                  out, errors),
            2);
  EXPECT_EQ(errors.str(), "evictctl: open /nonexistent/pod.yaml: No such file or directory\n");
}

TEST(Admit, AFileThatCannotBeReadIsAnErrorWithItsReason) {
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(admit({.path = "/proc/self/mem",
                   .socket = "",
                   .conditions = "",
                   .compatibility = std::nullopt,
                   .json = false},
                  out, errors),
            2);
  EXPECT_EQ(errors.str(), "evictctl: read /proc/self/mem: Input/output error\n");
}

TEST(Admit, ConditionsAreWordsWithCommasBetweenThem) {
  EXPECT_EQ(Asked(kBurstable, " DiskPressure , MemoryPressure ").exit_status, 1);
  EXPECT_EQ(Asked(kBurstable, "  ").exit_status, 0);
  for (const char* const text : {"MemoryPressure,", ",MemoryPressure", ",", "PIDPressure, ,"}) {
    const std::string list = text;
    const Asked run(kBestEffort, list);
    EXPECT_EQ(run.exit_status, 2) << list;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.errors, "evictctl: --conditions: \"" + list +
                              "\": a comma without a condition beside it; allowed: "
                              "MemoryPressure, DiskPressure, PIDPressure, separated by commas, or "
                              "nothing\n");
  }
}

TEST(Admit, NoNameOfAPodForgesAnAnswer) {
  const Asked run(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: \"x\\nkube-system/y\"}\n"
      "spec:\n  containers: [{name: c}]\n",
      "");
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.errors, "evictctl: " + run.path +
                            R"(:3: metadata.name: "x\nkube-system/y": has a control character; )" +
                            "allowed: a name as Kubernetes has them, such as web-0\n");
  const Asked kind("apiVersion: v1\nkind: \"x\\ny\"\n", "");
  EXPECT_EQ(kind.errors,
            "evictctl: " + kind.path + ":2: kind: 'x\\x0ay'; allowed: Pod, PodList, List\n");
}

TEST(Admit, AManifestThatIsNoUtf8IsRefused) {
  const Asked run("apiVersion: v1\nkind: Pod\nmetadata: {name: \"\xff\xfe\"}\n", "");
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.errors,
            "evictctl: " + run.path + ":3: byte 0xff is not UTF-8; allowed: UTF-8 text\n");
}

TEST(Admit, AnObjectWithoutANameIsNoPod) {
  const Asked run("apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: c}]\n", "");
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.errors, "evictctl: " + run.path + ":1: not a pod: it has no metadata.name\n");
}

TEST(Admit, WhatIsMeantAsJsonGetsAnErrorOfJson) {
  const std::string pod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[]}})";
  for (std::size_t length = 1; length < pod.size(); ++length) {
    const Asked run("\n " + pod.substr(0, length), "");
    EXPECT_EQ(run.exit_status, 2) << length;
    EXPECT_EQ(run.errors, "evictctl: " + run.path + ":2: not JSON, it ends too early\n") << length;
  }
  const Asked wrong("\n " + pod + "]", "");
  EXPECT_TRUE(wrong.errors.starts_with("evictctl: " + wrong.path + ":2: not JSON at '"))
      << wrong.errors;
  const Asked number(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},
"spec":{"containers":[{"name":"c","resources":{"requests":{"memory":1e400}}}]}})",
                     "");
  EXPECT_EQ(number.errors, "evictctl: " + number.path + ":2: the number 1e400 is out of range\n");
}

TEST(Admit, AMappingInBracesMayBeYaml) {
  EXPECT_EQ(Asked("{apiVersion: v1, kind: Pod, metadata: {name: a}}\n", "").out,
            "default/a: admitted\n");
  const Asked service("{apiVersion: v1, kind: Service}\n", "");
  EXPECT_EQ(service.errors,
            "evictctl: " + service.path + ":1: kind: 'Service'; allowed: Pod, PodList, List\n");
}

TEST(Admit, ADaemonThatDoesNotAnswerIsNoAnswer) {
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(admit({.path = "/nonexistent/pod.yaml",
                   .socket = "/nonexistent/control.sock",
                   .conditions = std::nullopt,
                   .compatibility = std::nullopt,
                   .json = false},
                  out, errors),
            2);
  EXPECT_NE(errors.str().find("--conditions works without it"), std::string::npos);
}

/// A daemon for one question.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer)
      : listener_(base::listen_unix(path(), 0600).value()),
        thread_([this, answer = std::move(answer)] { serve(answer); }) {}
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;
  ~OneAnswer() { thread_.join(); }

  [[nodiscard]] std::string path() const { return tree_.real("/control.sock"); }

 private:
  void serve(const std::string& answer) const {
    pollfd asked{.fd = listener_.get(), .events = POLLIN, .revents = 0};
    ::poll(&asked, 1, -1);
    const base::Fd client(::accept(listener_.get(), nullptr, nullptr));
    char byte = 0;
    while (byte != '\n' && ::recv(client.get(), &byte, 1, 0) == 1) {
    }
    const std::string line = answer + "\n";
    EXPECT_EQ(::send(client.get(), line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
  }

  test::FakeTree tree_;
  base::Fd listener_;
  std::thread thread_;
};

/// What is asked of a daemon that says this of its conditions.
std::pair<int, std::string> asked_of(const std::string& conditions) {
  const test::FakeTree tree;
  tree.write("/pod.yaml", kBestEffort);
  const OneAnswer daemon(R"({"compatibility":"1.32","conditions":)" + conditions + "}");
  std::ostringstream out;
  std::ostringstream errors;
  const int status = admit({.path = tree.real("/pod.yaml"),
                            .socket = daemon.path(),
                            .conditions = std::nullopt,
                            .compatibility = std::nullopt,
                            .json = false},
                           out, errors);
  return {status, errors.str()};
}

TEST(Admit, ConditionsComeFromTheDaemon) {
  EXPECT_EQ(asked_of(R"([{"type":"MemoryPressure","status":false}])").first, 0);
  EXPECT_EQ(asked_of(R"([{"type":"MemoryPressure","status":true}])").first, 1);
}

TEST(Admit, UnknownDaemonConditionIsNotBlamedOnTheCommandLine) {
  const auto [status, errors] = asked_of(R"([{"type":"Meteors","status":true}])");
  EXPECT_EQ(status, 2);
  EXPECT_NE(
      errors.find("control.sock: the condition \"Meteors\" in the answer is not known; known: "
                  "MemoryPressure, DiskPressure, PIDPressure"),
      std::string::npos)
      << errors;
  EXPECT_EQ(errors.find("--conditions"), std::string::npos) << errors;
}

TEST(Admit, AConditionOfAnotherKindIsAnErrorAndNoAnswer) {
  for (const char* const conditions :
       {R"([{"type":"MemoryPressure","status":"True"}])", R"([{"type":7,"status":true}])",
        R"([{"status":true}])", R"([{"type":"MemoryPressure"}])", "[3]"}) {
    const auto [status, errors] = asked_of(conditions);
    EXPECT_EQ(status, 2) << conditions;
    EXPECT_NE(errors.find("a condition has no type, or a status that is not a boolean"),
              std::string::npos)
        << errors;
  }
}

}  // namespace
}  // namespace evictd::cli
