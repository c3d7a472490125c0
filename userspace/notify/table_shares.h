// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>

#include "notify/backend.h"
#include "notify/registration.h"
#include "notify/shares.h"

namespace evictd::notify {

/// The share of a Backend's tables for users other than root. Rows: an eighth each, three quarters
/// together. Edges: a sixty-fourth each, a quarter together, because a row that changes needs its
/// old and its new edges for a moment. So root always finds room. Pure.
class TableShares {
 public:
  explicit TableShares(BackendRoom room);

  /// 0, or why `owner` may not have one more listener to `key`: EDQUOT, ENOSPC as Shares::check().
  [[nodiscard]] int check(uid_t owner, const LevelKey& key, const Terms& terms) const;
  void add(const Registration& registration);
  /// Undoes one add().
  void remove(const Registration& registration);

 private:
  Shares<LevelKey> rows_;
  std::size_t most_edges_of_one_;
  std::size_t most_edges_of_others_;
  /// By user, except root.
  std::map<uid_t, std::size_t> edges_;
  std::size_t edges_of_others_ = 0;
};

}  // namespace evictd::notify
