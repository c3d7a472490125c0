// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/event_loop.h"

namespace evictd::base {

/// Forwards readiness to a member function of `Owner`, which holds this handler as a member.
template <typename Owner>
class MemberHandler final : public ReadyHandler {
 public:
  using Member = void (Owner::*)();
  MemberHandler(Owner& owner, Member member) : owner_(owner), member_(member) {}
  void on_ready(std::uint32_t /*events*/) override { (owner_.*member_)(); }

 private:
  Owner& owner_;
  Member member_;
};

}  // namespace evictd::base
