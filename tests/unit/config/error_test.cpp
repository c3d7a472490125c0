// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "config/config.h"
#include "config/value.h"

namespace evictd::config {
namespace {

/// A file that must be refused, and the whole text of the error.
struct BadFile {
  std::string name;
  std::string text;
  std::string error;

  friend std::ostream& operator<<(std::ostream& out, const BadFile& file) {
    return out << file.name;
  }
};

class ConfigError : public testing::TestWithParam<BadFile> {};

TEST_P(ConfigError, NamesFileLineKeyValueAndWhatIsAllowed) {
  const Result<Config> config = parse(GetParam().text, "evictd.yaml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().message(), GetParam().error);
  EXPECT_EQ(config.error().code, Errc::kInvalid);
}

std::string name_of_case(const testing::TestParamInfo<BadFile>& info) {
  return info.param.name;
}

constexpr const char* kSignals132 =
    "allocatableMemory.available, memory.available, pid.available, containerfs.available, "
    "containerfs.inodesFree, imagefs.available, imagefs.inodesFree, nodefs.available, "
    "nodefs.inodesFree";

INSTANTIATE_TEST_SUITE_P(
    LeadingZeros, ConfigError,
    testing::Values(
        BadFile{"OfAWholeNumber", "recordFiles: 07\n",
                "evictd.yaml:1: recordFiles: 07: a leading zero, which makes it octal in YAML 1.1; "
                "allowed: a whole number from 1 to 100"},
        BadFile{"OfAQuantityWithoutAUnit", "recordMaxBytes: 010000000\n",
                "evictd.yaml:1: recordMaxBytes: 010000000: a leading zero, which makes it octal in "
                "YAML 1.1; allowed: a quantity from 64Ki to 64Gi, such as \"64Mi\""}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Shape, ConfigError,
    testing::Values(
        BadFile{"ListAtTheTop", "- a\n",
                "evictd.yaml:1: a list: no mapping; allowed: a mapping of keys to values"},
        BadFile{"TheKubeletsOwnFile", "apiVersion: kubelet.config.k8s.io/v1beta1\n",
                "evictd.yaml:1: apiVersion: kubelet.config.k8s.io/v1beta1: unknown key, the "
                "nearest is neverEvict; allowed: the keys that evictd --check prints; a "
                "KubeletConfiguration goes to --kubelet-config"},
        BadFile{"UnknownKey", "\nevictionHrad:\n  memory.available: 1Gi\n",
                "evictd.yaml:2: evictionHrad: a mapping: unknown key, the nearest is evictionHard; "
                "allowed: the keys that evictd --check prints"},
        BadFile{"UnknownKeyInAGroup", "sweep:\n  basePeriode: 1ms\n",
                "evictd.yaml:2: sweep.basePeriode: 1ms: unknown key, the nearest is "
                "sweep.basePeriod; allowed: basePeriod, floor, nearDistance, rateUp, rateDown, "
                "kickWindow, fastTickBurst, fastTicksPerSecond"},
        BadFile{"KeyAtTheWrongLevel", "basePeriod: 1ms\n",
                "evictd.yaml:1: basePeriod: 1ms: unknown key, the nearest is sweep.basePeriod; "
                "allowed: the keys that evictd --check prints"},
        BadFile{
            "KeyWithoutAName", "\"\": {dryRun: true}\n",
            "evictd.yaml:1: \"\": a mapping: unknown key, the nearest is log; allowed: the keys "
            "that evictd --check prints"},
        BadFile{"KeyWithoutANameInAGroup", "log: {\"\": json}\n",
                "evictd.yaml:1: log.\"\": json: unknown key, the nearest is log.level; allowed: "
                "format, level"},
        BadFile{"KeyWithADot", "sweep: {floor: 30us}\nsweep.floor: 40us\n",
                "evictd.yaml:2: sweep.floor: 40us: unknown key, the nearest is sweep; allowed: the "
                "keys that evictd --check prints"},
        BadFile{"UnknownKeyWithADot", "log.formet: json\n",
                "evictd.yaml:1: log.formet: json: unknown key, the nearest is log; allowed: the "
                "keys that evictd --check prints"},
        BadFile{"KeyGivenTwice", "sweep: {floor: 30us}\nlog:\n  level: info\n  level: debug\n",
                "evictd.yaml:4:3: log.level: debug: duplicate key, first given on line 3; allowed: "
                "each key once"},
        BadFile{"SignalGivenTwice",
                "evictionHard:\n  memory.available: 1Gi\n  memory.available: 5%\n",
                "evictd.yaml:3:3: evictionHard[memory.available]: 5%: duplicate key, first given "
                "on line 2; allowed: each key once"},
        BadFile{"GroupThatIsNoMapping", "log: json\n",
                "evictd.yaml:1: log: json: no mapping; allowed: a mapping with format, level"},
        BadFile{"NoValue", "dryRun:\n",
                "evictd.yaml:1: dryRun: null: no value; allowed: true or false, without quotes"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Type, ConfigError,
    testing::Values(
        BadFile{"TextForATruthValue", "dryRun: \"true\"\n",
                "evictd.yaml:1: dryRun: \"true\": expected a boolean; allowed: true or false, "
                "without quotes"},
        BadFile{"WordForATruthValue", "dryRun: yes\n",
                "evictd.yaml:1: dryRun: yes: expected a boolean; allowed: true or false, without "
                "quotes"},
        BadFile{"TextForANumber", "evictionMaxPodGracePeriod: 5s\n",
                "evictd.yaml:1: evictionMaxPodGracePeriod: 5s: not a whole number; allowed: a "
                "whole number from -2147483648 to 2147483647"},
        BadFile{"QuotedNumber", "evictionMaxPodGracePeriod: \"5\"\n",
                "evictd.yaml:1: evictionMaxPodGracePeriod: \"5\": not a whole number; allowed: a "
                "whole number from -2147483648 to 2147483647"},
        BadFile{"NumberForText", "nodeName: 12\n",
                "evictd.yaml:1: nodeName: 12: no text; allowed: text; put it in quotes"},
        BadFile{"NumberForAThreshold", "evictionHard:\n  memory.available: 1000\n",
                "evictd.yaml:2: evictionHard[memory.available]: 1000: no text; allowed: text; put "
                "it in quotes"},
        BadFile{"EmptyText", "nodeName: \"\"\n",
                "evictd.yaml:1: nodeName: \"\": empty; allowed: text of at least one character"},
        BadFile{"MappingForADuration", "pollInterval: {}\n",
                "evictd.yaml:1: pollInterval: a mapping: no duration; allowed: a duration from "
                "10ms to 1h, such as \"10s\" or \"1m30s\""},
        BadFile{"TextForAList", "manifestDirectories: /etc\n",
                "evictd.yaml:1: manifestDirectories: /etc: no list; allowed: a list of absolute "
                "paths"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Range, ConfigError,
    testing::Values(
        BadFile{"NumberOutOfRange", "realtime: {priority: 100}\n",
                "evictd.yaml:1: realtime.priority: 100: out of range; allowed: a whole number from "
                "1 to 99"},
        BadFile{"NumberThatFitsNoInteger", "evictionMaxPodGracePeriod: 99999999999999999999\n",
                "evictd.yaml:1: evictionMaxPodGracePeriod: 99999999999999999999: out of range; "
                "allowed: a whole number from -2147483648 to 2147483647"},
        BadFile{"DurationWithoutUnit", "pollInterval: 10\n",
                "evictd.yaml:1: pollInterval: 10: time: missing unit in duration \"10\"; allowed: "
                "a duration from 10ms to 1h, such as \"10s\" or \"1m30s\""},
        BadFile{"DurationWithUnknownUnit", "pollInterval: 1d\n",
                "evictd.yaml:1: pollInterval: 1d: time: unknown unit \"d\" in duration \"1d\"; "
                "allowed: a duration from 10ms to 1h, such as \"10s\" or \"1m30s\""},
        BadFile{"DurationOutOfRange", "pollInterval: 1us\n",
                "evictd.yaml:1: pollInterval: 1us: out of range; allowed: a duration from 10ms to "
                "1h, such as \"10s\" or \"1m30s\""},
        BadFile{"BadQuantity", "sweep:\n  nearDistance: 4MiB\n",
                "evictd.yaml:2: sweep.nearDistance: 4MiB: quantities must match the regular "
                "expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'; allowed: a quantity "
                "from 64Ki to 1Gi, such as \"64Mi\""},
        BadFile{"QuantityOutOfRange", "sweep:\n  nearDistance: 4Gi\n",
                "evictd.yaml:2: sweep.nearDistance: 4Gi: out of range; allowed: a quantity from "
                "64Ki to 1Gi, such as \"64Mi\""},
        BadFile{"FractionOfAByte", "hysteresis: {memory: 100m}\n",
                "evictd.yaml:1: hysteresis.memory: 100m: not a whole number of bytes; allowed: a "
                "quantity from 0 to 1Ti, such as \"64Mi\""},
        BadFile{"UnknownChoice", "eventSource: ebpf\n",
                "evictd.yaml:1: eventSource: ebpf: unknown; allowed: auto, bpf, poll"},
        BadFile{"UnknownVersion", "compatibility: 1.30\n",
                "evictd.yaml:1: compatibility: 1.30: unknown; allowed: 1.32, 1.26"},
        BadFile{"NamespaceInCapitals", "neverEvict:\n  namespaces: [kube-system, Web]\n",
                "evictd.yaml:2: neverEvict.namespaces[1]: Web: not a namespace name; allowed: a "
                "list of namespaces such as [kube-system], each once"},
        BadFile{"LabelWithoutAKey", "neverEvict: {labels: [=database]}\n",
                "evictd.yaml:1: neverEvict.labels[0]: =database: no label; allowed: a list of "
                "\"KEY\" or \"KEY=VALUE\" such as [app=database], each once"},
        BadFile{"LabelTwice", "neverEvict: {labels: [a/b=c, a/b=c]}\n",
                "evictd.yaml:1: neverEvict.labels[1]: a/b=c: given twice; allowed: a list of "
                "\"KEY\" or \"KEY=VALUE\" such as [app=database], each once"},
        BadFile{"TooManyEvictions", "maxEvictionsPerMinute: 121\n",
                "evictd.yaml:1: maxEvictionsPerMinute: 121: out of range; allowed: a whole number "
                "from 0 to 120"},
        BadFile{"FloorAboveTheThreshold", "hardEvictionFloor: 101%\n",
                "evictd.yaml:1: hardEvictionFloor: 101%: not a percentage from 0% to 100%; "
                "allowed: a quantity such as \"64Mi\", or a percentage of the threshold from 0% to "
                "100%"},
        BadFile{"NegativeFloor", "hardEvictionFloor: -1Mi\n",
                "evictd.yaml:1: hardEvictionFloor: -1Mi: negative; allowed: a quantity such as "
                "\"64Mi\", or a percentage of the threshold from 0% to 100%"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Path, ConfigError,
    testing::Values(
        BadFile{"RelativePath", "runtimeDirectory: run/evictd\n",
                "evictd.yaml:1: runtimeDirectory: run/evictd: not an absolute path; allowed: an "
                "absolute path without \".\", \"..\" and empty parts"},
        BadFile{"PathThatClimbs", "cgroupRoot: /a/../b\n",
                "evictd.yaml:1: cgroupRoot: /a/../b: not a plain path; allowed: an absolute path "
                "without \".\", \"..\" and empty parts"},
        BadFile{"DirectoryTwice", "manifestDirectories:\n  - /a\n  - /a/\n",
                "evictd.yaml:3: manifestDirectories[1]: /a/: given twice; allowed: each directory "
                "once"},
        BadFile{"DirectoryInBothLists",
                "manifestDirectories: [/a]\nstaticManifestDirectories: [/a]\n",
                "evictd.yaml:2: staticManifestDirectories: \"/a\": also in manifestDirectories; "
                "allowed: each directory in one of the two lists"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    WrittenFile, ConfigError,
    testing::Values(
        BadFile{"StateAndRecordsInOneFile", "stateFile: /a/b\nrecordFile: /a/b\n",
                "evictd.yaml:2: recordFile: \"/a/b\": stateFile is written there too; allowed: a "
                "path of its own for each"},
        BadFile{"RecordsWhereStateIsByDefault", "recordFile: /run/evictd/state\n",
                "evictd.yaml:1: recordFile: \"/run/evictd/state\": stateFile is written there too; "
                "allowed: a path of its own for each"},
        BadFile{"SocketWhereStateIsByDefault", "runtimeDirectory: /a\ncontrolSocket: /a/state\n",
                "evictd.yaml:2: controlSocket: \"/a/state\": stateFile is written there too; "
                "allowed: a path of its own for each"},
        BadFile{"StateInARotatedRecordFile", "recordFile: /a/b\nstateFile: /a/b.1\n",
                "evictd.yaml:1: recordFile: \"/a/b.1\": stateFile is written there too; allowed: a "
                "path of its own for each"},
        BadFile{"SocketTooLong", "controlSocket: /" + std::string(107, 'a') + "\n",
                "evictd.yaml:1: controlSocket: \"/" + std::string(59, 'a') +
                    "...\": too long for a socket (108 bytes); allowed: a path of at most 107 "
                    "bytes"},
        BadFile{"NotifySocketWhereTheControlSocketIs", "controlSocket: /a/s\nnotifySocket: /a/s\n",
                "evictd.yaml:2: notifySocket: \"/a/s\": controlSocket is written there too; "
                "allowed: a path of its own for each"},
        BadFile{"NotifySocketThatBeginsWhereTheStateIs",
                "notifySocket: /a/b\nstateFile: /a/b.new\n",
                "evictd.yaml:2: stateFile: \"/a/b.new\": notifySocket is written there too; "
                "allowed: a path of its own for each"},
        BadFile{"NotifySocketTooLong", "notifySocket: /" + std::string(103, 'a') + "\n",
                "evictd.yaml:1: notifySocket: \"/" + std::string(59, 'a') +
                    "...\": too long for a socket that is renamed (104 bytes); allowed: a path of "
                    "at most 103 bytes"},
        BadFile{"NotifySocketNotAbsolute", "notifySocket: notify.sock\n",
                "evictd.yaml:1: notifySocket: notify.sock: not an absolute path; allowed: an "
                "absolute path without \".\", \"..\" and empty parts"},
        BadFile{"DirectoryTooLongForTheSocket", "runtimeDirectory: /" + std::string(94, 'a') + "\n",
                "evictd.yaml:1: runtimeDirectory: \"/" + std::string(59, 'a') +
                    "...\": its control.sock is too long for a socket (108 bytes); allowed: a path "
                    "of at most 94 bytes, or a controlSocket of at most 107"}),
    name_of_case);

TEST(ConfigErrorText, PathsThatJustFitAreAccepted) {
  const std::string longest = std::string(106, 'a');
  for (const std::string& text :
       {"controlSocket: /" + longest, "notifySocket: /" + longest.substr(0, 102),
        "runtimeDirectory: /" + longest.substr(0, 93),
        "controlSocket: /a/s\nruntimeDirectory: /" + longest,
        std::string("recordFile: /a/b\nrecordFiles: 2\nstateFile: /a/b.2"),
        std::string("stateFile: none\nrecordFile: /run/evictd/state")}) {
    const Result<Config> config = parse(text, "evictd.yaml");
    EXPECT_TRUE(config.has_value()) << config.error().message();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Eviction, ConfigError,
    testing::Values(
        BadFile{"UnknownSignal", "evictionHard:\n  memory.avaliable: 1Gi\n",
                "evictd.yaml:2: evictionHard[memory.avaliable]: 1Gi: unknown signal, the nearest "
                "is memory.available; allowed: " +
                    std::string(kSignals132)},
        BadFile{"GraceForUnknownSignal", "evictionSoftGracePeriod:\n  memory: 1m\n",
                "evictd.yaml:2: evictionSoftGracePeriod[memory]: 1m: unknown signal, the nearest "
                "is memory.available; allowed: " +
                    std::string(kSignals132)},
        BadFile{"MinimumReclaimOfUnknownSignal", "evictionMinimumReclaim: {swap.available: 1Mi}\n",
                "evictd.yaml:1: evictionMinimumReclaim[swap.available]: 1Mi: unknown signal, the "
                "nearest is pid.available; allowed: " +
                    std::string(kSignals132)},
        BadFile{"BadThreshold", "evictionHard:\n  memory.available: lots\n",
                "evictd.yaml:2: evictionHard[memory.available]: lots: quantities must match the "
                "regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'; allowed: a "
                "quantity above 0 such as \"100Mi\", or a percentage such as \"10%\""},
        BadFile{"ThresholdOfZero", "evictionHard: {memory.available: \"0\"}\n",
                "evictd.yaml:1: evictionHard[memory.available]: \"0\": eviction threshold "
                "memory.available must be positive: 0; allowed: a quantity above 0 such as "
                "\"100Mi\", or a percentage such as \"10%\""},
        BadFile{"ThresholdAboveAll",
                "evictionSoft: {memory.available: 101%}\n"
                "evictionSoftGracePeriod: {memory.available: 1m}\n",
                "evictd.yaml:1: evictionSoft[memory.available]: 101%: eviction percentage "
                "threshold memory.available must be <= 100%: 101%; allowed: a quantity above 0 "
                "such as \"100Mi\", or a percentage such as \"10%\""},
        BadFile{"BadGracePeriod",
                "evictionSoft: {memory.available: 2Gi}\n"
                "evictionSoftGracePeriod: {memory.available: 90}\n",
                "evictd.yaml:2: evictionSoftGracePeriod[memory.available]: 90: no text; allowed: "
                "text; put it in quotes"},
        BadFile{"NegativeGracePeriod",
                "evictionSoft: {memory.available: 2Gi}\n"
                "evictionSoftGracePeriod: {memory.available: -30s}\n",
                "evictd.yaml:2: evictionSoftGracePeriod[memory.available]: -30s: invalid eviction "
                "grace period specified: -30s, must be a positive value; allowed: a duration of at "
                "least 0s such as \"90s\" or \"1m30s\""},
        BadFile{"NegativeMinimumReclaim", "evictionMinimumReclaim: {nodefs.available: -1Gi}\n",
                "evictd.yaml:1: evictionMinimumReclaim[nodefs.available]: -1Gi: negative eviction "
                "minimum reclaim specified for nodefs.available; allowed: a quantity of at least 0 "
                "such as \"50Mi\", or a percentage such as \"5%\""},
        BadFile{"SoftWithoutGracePeriod", "evictionSoft:\n  memory.available: 2Gi\n",
                "evictd.yaml:2: evictionSoft[memory.available]: \"2Gi\": a soft threshold without "
                "a grace period; allowed: an evictionSoftGracePeriod for memory.available beside "
                "it"},
        BadFile{"GracePeriodWithoutSoft", "evictionSoftGracePeriod:\n  memory.available: 1m\n",
                "evictd.yaml:2: evictionSoftGracePeriod[memory.available]: \"1m\": a grace period "
                "without a soft threshold; allowed: an evictionSoft for memory.available beside "
                "it"},
        BadFile{"UnknownEnforcement", "enforceNodeAllocatable: [pod]\n",
                "evictd.yaml:1: enforceNodeAllocatable[0]: pod: unknown; allowed: a list of pods, "
                "system-reserved, kube-reserved, system-reserved-compressible, "
                "kube-reserved-compressible, none; none only alone"},
        BadFile{"NoEnforcementBesideOthers", "enforceNodeAllocatable: [none, pods]\n",
                "evictd.yaml:1: enforceNodeAllocatable: a list: \"none\" beside others; allowed: a "
                "list of pods, system-reserved, kube-reserved, system-reserved-compressible, "
                "kube-reserved-compressible, none; none only alone"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Contradiction, ConfigError,
    testing::Values(
        BadFile{"AdaptiveBoundsTheWrongWayRound", "adaptivePolling:\n  min: 20s\n",
                "evictd.yaml:2: adaptivePolling.min: 20s: above adaptivePolling.max (10s); "
                "allowed: at most adaptivePolling.max"},
        BadFile{"UpperBoundBelowTheDefaultLower", "adaptivePolling:\n  max: 50ms\n",
                "evictd.yaml:2: adaptivePolling.max: 50ms: below adaptivePolling.min (100ms); "
                "allowed: at least adaptivePolling.min"},
        BadFile{"SweepFloorAboveBase", "sweep: {floor: 5ms, basePeriod: 2ms}\n",
                "evictd.yaml:1: sweep.floor: 5ms: above sweep.basePeriod (2ms); allowed: at most "
                "sweep.basePeriod"},
        BadFile{"StallAboveItsWindow", "stall: {notice: 2s}\n",
                "evictd.yaml:1: stall.notice: 2s: above stall.window (1s); allowed: at most "
                "stall.window"},
        BadFile{"HookWhilePolling", "eventSource: poll\nperPageHook: true\n",
                "evictd.yaml:2: perPageHook: true: a BPF hook while eventSource is poll; allowed: "
                "false, or eventSource auto or bpf"},
        BadFile{"KernelSideKillsWhilePolling", "eventSource: poll\ninKernelBrake: backstop\n",
                "evictd.yaml:2: inKernelBrake: not off: a BPF program while eventSource is poll; "
                "allowed: off, or eventSource auto or bpf"},
        BadFile{"PinWhilePolling", "attachPins: {oom: none}\neventSource: poll\n",
                "evictd.yaml:1: attachPins: a mapping: BPF hooks while eventSource is poll; "
                "allowed: no attachPins, or eventSource auto or bpf"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Pods, ConfigError,
    testing::Values(
        BadFile{"GlobMissing", "podGlobs:\n  - name: a\n",
                "evictd.yaml:2: podGlobs[0]: a mapping: no glob; allowed: a mapping that has a "
                "glob"},
        BadFile{"GlobWithBrackets", "podGlobs:\n  - glob: /a/[bc]\n",
                "evictd.yaml:2: podGlobs[0].glob: /a/[bc]: has a '['; allowed: an absolute path in "
                "which * and ? are patterns"},
        BadFile{"GlobMemberUnknown", "podGlobs:\n  - glob: /a\n    priorty: 1\n",
                "evictd.yaml:3: podGlobs[0].priorty: 1: unknown key, the nearest is \"priority\"; "
                "allowed: glob, name, priority, memoryRequest"},
        BadFile{"GlobTwice", "podGlobs:\n  - glob: /a\n  - glob: /a\n",
                "evictd.yaml:3: podGlobs[1]: a mapping: glob \"/a\" given twice; allowed: each "
                "glob once"},
        BadFile{"GlobThatIsText", "podGlobs: [/a]\n",
                "evictd.yaml:1: podGlobs[0]: /a: no mapping; allowed: a mapping with glob, name, "
                "priority, memoryRequest"},
        BadFile{"PriorityOutOfRange", "podGlobs: [{glob: /a, priority: 2147483648}]\n",
                "evictd.yaml:1: podGlobs[0].priority: 2147483648: out of range; allowed: a whole "
                "number from -2147483648 to 2147483647"},
        BadFile{"PurposeThatIsNoName", "attachPins: {Memory Charge: kprobe}\n",
                "evictd.yaml:1: attachPins[Memory Charge]: kprobe: unknown purpose; allowed: "
                "purpose to row as `evictctl doctor` names them, such as memory-charge: kprobe"},
        BadFile{"RowThatIsNoName", "attachPins: {oom: [none]}\n",
                "evictd.yaml:1: attachPins[oom]: a list: unknown row; allowed: purpose to row as "
                "`evictctl doctor` names them, such as memory-charge: kprobe"}),
    name_of_case);

TEST(ConfigErrorText, TheFirstOfSeveralErrorsIsReported) {
  const Result<Config> config = parse("dryRun: 1\npollInterval: 2\nnothing: 3\n", "evictd.yaml");
  ASSERT_FALSE(config.has_value());
  EXPECT_TRUE(config.error().message().starts_with("evictd.yaml:1: dryRun: 1: "));
}

TEST(ConfigErrorText, ALongValueIsCut) {
  const Result<Config> config = parse("dryRun: " + std::string(1000, 'x'), "evictd.yaml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().message(), "evictd.yaml:1: dryRun: " + std::string(60, 'x') +
                                          "...: expected a boolean; allowed: true or false, "
                                          "without quotes");
}

TEST(ConfigErrorText, AControlCharacterIsShownAsASpace) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = "a\x1b[31m\tb\n\x7f";
  EXPECT_EQ(shown(node), "\"a [31m b  \"");
  node.text = "a\xc2\x9b\xc3\xa9\xc2\x85";
  EXPECT_EQ(shown(node), "\"a \xc3\xa9 \"");
}

TEST(ConfigErrorText, TextThatIsNoYamlIsMalformed) {
  const Result<Config> config = parse("evictionHard: {memory.available: 1Gi\n", "evictd.yaml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code, Errc::kMalformed);
  EXPECT_EQ(config.error().message(), "evictd.yaml:2:1: not valid YAML: end of map flow not found");
}

}  // namespace
}  // namespace evictd::config
