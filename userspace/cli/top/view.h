// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/node_state.h"

namespace evictd::cli::top {

enum class SortKey {
  kMemory,    ///< First to go for memory first; so are those below as first is most.
  kTasks,     ///< First to go for tasks first.
  kUsage,     ///< Working set.
  kOver,      ///< Working set beyond the request.
  kGrowth,    ///< Bytes a second.
  kPriority,  ///< Lowest first, as it goes first.
  kName,
};

/// "memory", "tasks", "usage", "over", "growth", "priority", "name".
[[nodiscard]] std::string_view name_of(SortKey key);
[[nodiscard]] std::vector<std::string> sort_key_names();
[[nodiscard]] std::optional<SortKey> sort_key_named(std::string_view name);

enum class Page { kList, kDetail, kHelp };

/// The user's choices.
struct View {
  SortKey sort = SortKey::kMemory;
  bool reversed = false;
  /// Text that a pod's line must contain; empty for all pods.
  std::string filter{};
  bool editing_filter = false;
  bool paused = false;
  Page page = Page::kList;
  /// The uid of the selected pod; empty for the first one.
  std::string selected{};
  /// Index of the first pod shown, and how many fit; set by the layout.
  std::size_t first_shown = 0;
  std::size_t page_length = 1;
};

struct Key {
  enum class Name : std::uint8_t {
    kCharacter,
    kUp,
    kDown,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kEscape,
    kBackspace,
  };
  Name name = Name::kCharacter;
  /// For kCharacter, as UTF-8.
  std::string character{};
};

enum class Wish { kStay, kQuit };

/// The pods that match the filter, in order; borrowed from `node`.
[[nodiscard]] std::vector<const PodState*> pods_in_order(const NodeState& node, const View& view);

/// The selected pod's index in that order; 0 if it is not included.
[[nodiscard]] std::size_t selected_place(const std::vector<const PodState*>& pods,
                                         const View& view);

/// Applies a key to the view. `pods` are those in order.
[[nodiscard]] Wish apply(const Key& key, const std::vector<const PodState*>& pods, View& view);

}  // namespace evictd::cli::top
