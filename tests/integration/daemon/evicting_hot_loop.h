// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "enforce/kill_target.h"
#include "enforce/pod_root.h"
#include "stage/private_tree.h"
#include "unit/daemon/driven_hot_loop.h"

namespace evictd::daemon {

/// Text of a configuration in which a victim of a hard threshold has no time.
inline constexpr const char* kAtOnce = "hardEvictionGracePeriodSeconds: 0\n";

/// The hot thread on a node of files, with pods that have cgroups of this machine.
class Evicting : public DrivenHotLoop {
 protected:
  explicit Evicting(const std::string& yaml, PodEvents events = PodEvents::kTold,
                    Besides besides = Besides::kNothing)
      : DrivenHotLoop(yaml, events, besides) {}

  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to make cgroups";
    }
    Result<stage::PrivateTree> tree =
        stage::PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + "-hot");
    ASSERT_TRUE(tree) << tree.error().message();
    tree_.emplace(std::move(*tree));
    const bool unified = tree_->hierarchies().unified();
    Result<enforce::PodRoot> root = enforce::PodRoot::open(
        {.kind = unified ? enforce::HierarchyKind::kV2 : enforce::HierarchyKind::kV1Memory,
         .hierarchy = 1,
         .directory = tree_->memory_directory()});
    ASSERT_TRUE(root) << root.error().message();
    root_.emplace(std::move(*root));
  }

  /// A pod with the numbers of the fake node and a target of this machine.
  std::unique_ptr<HotPod> pod(std::uint32_t slot, const std::string& uid, Bytes used) {
    std::unique_ptr<HotPod> made = node_.pod(slot, uid, used);
    if (!staged_.contains(uid)) {
      staged_[uid] = tree_->add_pod({.name = uid}, uid).value();
    }
    const std::filesystem::path below =
        (tree_->hierarchies().memory / staged_[uid].pod).lexically_relative(root_->directory());
    made->target =
        enforce::KillTarget::open({.uid = uid, .places = {{.root = &*root_, .path = below}}})
            .value();
    made->memory_id = made->target->id();
    ids_[uid] = made->memory_id;
    return made;
  }
  void place(std::uint32_t slot, const std::string& uid, Bytes used) {
    send(PlacePod{.slot = slot, .pod = pod(slot, uid, used)});
  }

  /// Runs a pass and answers what it saw.
  PassDone pass() {
    send(engine::PassRequested{});
    std::optional<PassDone> done = next<PassDone>();
    return done ? std::move(*done) : PassDone{};
  }
  /// The same, and the buffer goes back.
  eviction::Outcome outcome_of_pass() {
    PassDone done = pass();
    if (!done.copy) {
      ADD_FAILURE() << "no copy of the pass";
      return eviction::Outcome::kFailed;
    }
    last_reason_ = done.copy->decision.reason;
    const eviction::Outcome outcome = done.copy->decision.outcome;
    send(LendPassCopy{std::move(done.copy)});
    return outcome;
  }
  /// The actuator goes a step with the pod, and the hot thread has told of it.
  void go(FakeActuator& actuator, const std::string& uid, enforce::EvictionState state) {
    actuator.go(
        {.ticket = {}, .pod = ids_[uid], .state = state, .at = clock_.now(), .signals = {}});
    inbox_.wake_up.signal();
    const auto step = next<EvictionStep>();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->progress.state, state);
    EXPECT_EQ(step->dry_run, &actuator == &dry_run_);
  }

  // Before what points to it.
  std::optional<stage::PrivateTree> tree_;
  std::optional<enforce::PodRoot> root_;
  std::map<std::string, stage::StagedPod> staged_;
  std::map<std::string, CgroupId> ids_;
  eviction::Reason last_reason_ = eviction::Reason::kNone;
};

}  // namespace evictd::daemon
