// SPDX-License-Identifier: Apache-2.0
#include "cli/top/view.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

namespace evictd::cli::top {

namespace {

struct SortName {
  SortKey key;
  std::string_view name;
};

constexpr std::array kSortNames{
    SortName{SortKey::kMemory, "memory"}, SortName{SortKey::kTasks, "tasks"},
    SortName{SortKey::kUsage, "usage"},   SortName{SortKey::kOver, "over"},
    SortName{SortKey::kGrowth, "growth"}, SortName{SortKey::kPriority, "priority"},
    SortName{SortKey::kName, "name"},
};

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

std::int64_t place_of_rank(std::int64_t rank) {
  return rank == 0 ? kLast : rank;
}

/// Highest first; unknown values last.
std::int64_t most_first(const std::optional<std::int64_t>& amount) {
  return amount ? -*amount : kLast;
}

/// The sort key, smallest first.
std::int64_t order_of(const PodState& pod, SortKey key) {
  switch (key) {
    case SortKey::kMemory:
      return place_of_rank(pod.memory_rank);
    case SortKey::kTasks:
      return place_of_rank(pod.task_rank);
    case SortKey::kUsage:
      return most_first(pod.working_set);
    case SortKey::kOver:
      return most_first(pod.over_request());
    case SortKey::kGrowth:
      return most_first(pod.rate);
    case SortKey::kPriority:
      return pod.priority.value_or(kLast);
    case SortKey::kName:
      break;
  }
  return 0;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char letter) {
    return static_cast<char>(letter < 0x80 ? std::tolower(letter) : letter);
  });
  return lower;
}

bool passes(const PodState& pod, const std::string& filter) {
  const std::string line = pod.name + '\n' + pod.uid + '\n' + pod.qos + '\n' + pod.state;
  return in_lower_case(line).find(filter) != std::string::npos;
}

void select(std::size_t place, const std::vector<const PodState*>& pods, View& view) {
  // The first line stays selected, whichever pod moves there.
  view.selected =
      place == 0 || pods.empty() ? std::string() : pods[std::min(place, pods.size() - 1)]->uid;
}

void move(const Key& key, const std::vector<const PodState*>& pods, View& view) {
  const std::size_t place = selected_place(pods, view);
  const std::size_t step =
      key.name == Key::Name::kPageUp || key.name == Key::Name::kPageDown ? view.page_length : 1;
  switch (key.name) {
    case Key::Name::kUp:
    case Key::Name::kPageUp:
      return select(place - std::min(place, step), pods, view);
    case Key::Name::kDown:
    case Key::Name::kPageDown:
      return select(place + step, pods, view);
    case Key::Name::kHome:
      return select(0, pods, view);
    case Key::Name::kEnd:
      return select(pods.size(), pods, view);
    case Key::Name::kCharacter:
    case Key::Name::kEnter:
    case Key::Name::kEscape:
    case Key::Name::kBackspace:
      return;
  }
}

void take_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
    text.pop_back();
  }
  if (!text.empty()) {
    text.pop_back();
  }
}

void edit_filter(const Key& key, View& view) {
  constexpr std::size_t kLongestFilter = 64;
  if (key.name == Key::Name::kCharacter && view.filter.size() < kLongestFilter) {
    view.filter += key.character;
  } else if (key.name == Key::Name::kBackspace) {
    take_last_character(view.filter);
  } else if (key.name == Key::Name::kEnter) {
    view.editing_filter = false;
  } else if (key.name == Key::Name::kEscape) {
    view.filter.clear();
    view.editing_filter = false;
  }
}

void sort_by_next(View& view, std::size_t step) {
  const auto place = static_cast<std::size_t>(view.sort);
  view.sort = kSortNames[(place + step) % kSortNames.size()].key;
}

void sort_by(SortKey key, View& view) {
  view.sort = key;
  view.reversed = false;
}

/// Keys that work on all pages, except while a filter is edited.
void apply_letter(char letter, View& view) {
  constexpr std::string_view kSortLetters = "mtuogpn";
  if (const std::size_t sort = kSortLetters.find(letter); sort != std::string_view::npos) {
    return sort_by(kSortNames[sort].key, view);
  }
  switch (letter) {
    case 's':
      return sort_by_next(view, 1);
    case 'S':
      return sort_by_next(view, kSortNames.size() - 1);
    case 'r':
      view.reversed = !view.reversed;
      return;
    case ' ':
      view.paused = !view.paused;
      return;
    case '/':
      view.page = Page::kList;
      view.editing_filter = true;
      return;
    case '?':
    case 'h':
      view.page = view.page == Page::kHelp ? Page::kList : Page::kHelp;
      return;
    default:  // Any other letter does nothing.
      return;
  }
}

void leave_page(View& view) {
  if (view.page == Page::kList) {
    view.filter.clear();
  }
  view.page = Page::kList;
}

}  // namespace

std::string_view name_of(SortKey key) {
  return kSortNames[static_cast<std::size_t>(key)].name;
}

std::vector<std::string> sort_key_names() {
  std::vector<std::string> names;
  names.reserve(kSortNames.size());
  for (const SortName& sort : kSortNames) {
    names.emplace_back(sort.name);
  }
  return names;
}

std::optional<SortKey> sort_key_named(std::string_view name) {
  const auto found = std::find_if(kSortNames.begin(), kSortNames.end(),
                                  [&](const SortName& sort) { return sort.name == name; });
  return found == kSortNames.end() ? std::nullopt : std::optional(found->key);
}

std::vector<const PodState*> pods_in_order(const NodeState& node, const View& view) {
  const std::string filter = in_lower_case(view.filter);
  std::vector<const PodState*> pods;
  for (const PodState& pod : node.pods) {
    if (passes(pod, filter)) {
      pods.push_back(&pod);
    }
  }
  std::sort(pods.begin(), pods.end(), [&](const PodState* one, const PodState* other) {
    const auto key = [&](const PodState& pod) {
      return std::tuple(order_of(pod, view.sort), std::string_view(pod.name),
                        std::string_view(pod.uid));
    };
    return view.reversed ? key(*other) < key(*one) : key(*one) < key(*other);
  });
  return pods;
}

std::size_t selected_place(const std::vector<const PodState*>& pods, const View& view) {
  const auto found = std::find_if(pods.begin(), pods.end(), [&](const PodState* pod) {
    return !view.selected.empty() && pod->uid == view.selected;
  });
  return found == pods.end() ? 0 : static_cast<std::size_t>(found - pods.begin());
}

Wish apply(const Key& key, const std::vector<const PodState*>& pods, View& view) {
  if (view.editing_filter) {
    edit_filter(key, view);
    return Wish::kStay;
  }
  if (key.name == Key::Name::kEscape) {
    leave_page(view);
  } else if (key.name == Key::Name::kEnter) {
    if (view.page == Page::kList && !pods.empty()) {
      // The detail page stays with one pod, wherever it moves in the order.
      view.selected = pods[selected_place(pods, view)]->uid;
    }
    view.page = view.page == Page::kList && !pods.empty() ? Page::kDetail : Page::kList;
  } else if (key.name != Key::Name::kCharacter) {
    move(key, pods, view);
  } else if (key.character == "q") {
    return Wish::kQuit;
  } else if (key.character == "j" || key.character == "k") {
    move({.name = key.character == "j" ? Key::Name::kDown : Key::Name::kUp}, pods, view);
  } else if (key.character.size() == 1) {
    apply_letter(key.character[0], view);
  }
  return Wish::kStay;
}

}  // namespace evictd::cli::top
