// SPDX-License-Identifier: Apache-2.0
#include "document/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/control_character.h"
#include "core/utf8.h"

namespace evictd::document {
namespace {

/// "sweep.floor: 30us: REASON", without empty parts.
std::string joined_parts(const std::string& path, const std::string& value,
                         std::string_view reason) {
  std::string text;
  for (const std::string& part : {path, value}) {
    text += part.empty() ? "" : part + ": ";
  }
  return text + std::string(reason);
}

/// A key as the next part of a path: "floor" in "sweep.floor". A name that contains dots is in
/// brackets, as in "evictionHard[memory.available]".
std::string joined_path(const std::string& path, const std::string& key) {
  std::string text = key.empty() ? R"("")" : shown_text(key);
  if (path.empty()) {
    return text;
  }
  return key.find('.') == std::string::npos ? path + "." + text : path + "[" + text + "]";
}

std::size_t values_in(const Node& node) {
  std::size_t values = 1;
  for (const Node& item : node.items) {
    values += values_in(item);
  }
  for (const Entry& entry : node.entries) {
    values += values_in(entry.value);
  }
  return values;
}

std::size_t levels_in(const Node& node) {
  std::size_t below = 0;
  for (const Node& item : node.items) {
    below = std::max(below, levels_in(item));
  }
  for (const Entry& entry : node.entries) {
    below = std::max(below, levels_in(entry.value));
  }
  const bool is_level = node.kind == Node::Kind::kSequence || node.kind == Node::Kind::kMap;
  return below + (is_level ? 1 : 0);
}

/// The line around `offset` for an error, usually a key and its value; nothing is parsed yet. Bytes
/// that are not UTF-8 become '?'.
std::string shown_line(std::string_view text, std::size_t offset) {
  // More than an error displays, and small enough to scan for each bad byte.
  constexpr std::size_t kMostBytes = 256;
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t before = text.substr(0, offset).rfind('\n');
  text.remove_prefix(before == std::string_view::npos ? 0 : before + 1);
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, std::min(text.find('\n'), kMostBytes));
  std::string line(text.substr(0, text.find_last_not_of(kBlanks) + 1));
  while (const auto bad = core::find_invalid_utf8(line)) {
    line[*bad] = '?';
  }
  return shown_text(line);
}

}  // namespace

Failure fail_at(const Dialect& dialect, std::string_view name, const Refusal& refusal) {
  const auto [line, column] = refusal.place;
  return fail(refusal.code, dialect.names_line_only
                                ? fmt::format("{}:{}: {}", name, line, refusal.reason)
                                : fmt::format("{}:{}:{}: {}", name, line, column, refusal.reason));
}

Result<> check_text(std::string_view text, std::string_view name, const Dialect& dialect,
                    bool refuse_controls) {
  const auto refuse_at = [&](std::size_t offset, const std::string& reason) {
    return fail_at(
        dialect, name,
        Refusal(
            Errc::kMalformed, place_of(text, offset),
            dialect.names_line_only ? reason : joined_parts("", shown_line(text, offset), reason)));
  };
  if (text.size() > dialect.bytes) {
    return fail(Errc::kExhausted, fmt::format(fmt::runtime(dialect.words.too_long), name,
                                              text.size(), dialect.bytes));
  }
  if (const auto bad = core::find_invalid_utf8(text)) {
    return refuse_at(*bad, fmt::format("byte {:#04x} is not UTF-8; allowed: UTF-8 text",
                                       static_cast<unsigned char>(text[*bad])));
  }
  const auto control = refuse_controls ? core::find_control_character(text) : std::nullopt;
  return control ? refuse_at(*control, control_reason(text.substr(*control))) : Result<>();
}

void check_depth(std::size_t depth, const Dialect& dialect, Place place) {
  if (depth >= dialect.depth) {
    throw Refusal(Errc::kExhausted, place,
                  fmt::format(fmt::runtime(dialect.words.too_deep), dialect.depth));
  }
}

std::string control_reason(std::string_view from_control) {
  return fmt::format("control character {:#04x}; allowed: printable text",
                     core::control_character_code(from_control));
}

void TreeBuilder::add(Place place, Node node, std::size_t anchor) {
  node.line = place.line;
  put(place, std::move(node));
  keep(anchor);
}

void TreeBuilder::add_key(Place place, const std::string& key) {
  Level& level = open_.back();
  const auto [first, is_new] = level.keys.emplace(key, place.line);
  if (!is_new) {
    duplicate_ = Duplicate{.place = place, .first_line = first->second};
  }
  level.node->entries.push_back(Entry{.key = key, .line = place.line, .value = {}});
  level.has_key = true;
}

void TreeBuilder::add_alias(Place place, std::size_t anchor) {
  const Node* meant = find(anchor);
  if (meant == nullptr) {
    throw Refusal(Errc::kInvalid, place, "an alias to a value that contains it");
  }
  const std::size_t levels = levels_in(*meant);
  if (levels > 0) {
    check_depth(open_.size() + levels - 1, dialect_, place);
  }
  count(values_in(*meant) - 1, place);  // put() counts the copy itself.
  Node copy = *meant;
  copy.line = place.line;
  put(place, std::move(copy));
}

void TreeBuilder::open(Place place, Node::Kind kind, std::size_t anchor) {
  check_depth(open_.size(), dialect_, place);
  Node node;
  node.kind = kind;
  node.line = place.line;
  Node* const at = put(place, std::move(node));
  keep(anchor);
  open_.push_back(Level{.node = at, .has_key = false, .keys = {}});
}

bool TreeBuilder::expects_key() const {
  return !open_.empty() && open_.back().node->kind == Node::Kind::kMap && !open_.back().has_key;
}

std::string TreeBuilder::about(const Node& node, std::string_view reason) const {
  return expects_key() && node.kind == Node::Kind::kScalar
             ? joined_parts(joined_path(path(), node.text), "", reason)
             : joined_parts(path(), shown(node), reason);
}

std::string TreeBuilder::about_next(std::string_view reason) const {
  return joined_parts(path(), "", reason);
}

Node* TreeBuilder::put(Place place, Node node) {
  count(1, place);
  if (open_.empty()) {
    anchors_.clear();
    documents_.push_back(std::move(node));
    return &documents_.back();
  }
  Level& level = open_.back();
  if (level.node->kind == Node::Kind::kSequence) {
    level.node->items.push_back(std::move(node));
    return &level.node->items.back();
  }
  Entry& entry = level.node->entries.back();
  if (duplicate_) {
    const std::string reason =
        fmt::format(fmt::runtime(dialect_.words.twice), entry.key, duplicate_->first_line);
    throw Refusal(Errc::kInvalid, duplicate_->place,
                  dialect_.names_line_only ? reason : about(node, reason));
  }
  level.has_key = false;
  if (node.kind == Node::Kind::kNull) {
    node.line = entry.line;  // YAML's parser gives the place of the token after it.
  }
  entry.value = std::move(node);
  return &entry.value;
}

void TreeBuilder::count(std::size_t values, Place place) {
  values_ += values;
  if (values_ > dialect_.values) {
    throw Refusal(Errc::kExhausted, place,
                  fmt::format(fmt::runtime(dialect_.words.too_many), dialect_.values));
  }
}

void TreeBuilder::keep(std::size_t anchor) {
  if (anchor == 0) {
    return;
  }
  std::vector<std::size_t> indexes;
  for (const Level& level : open_) {
    indexes.push_back(std::max(level.node->items.size(), level.node->entries.size()) - 1);
  }
  anchors_.insert_or_assign(anchor, std::move(indexes));
}

const Node* TreeBuilder::find(std::size_t anchor) {
  const auto indexes = anchors_.find(anchor);
  if (indexes == anchors_.end()) {
    return nullptr;
  }
  const Node* node = &documents_.back();
  for (const std::size_t index : indexes->second) {
    node = node->kind == Node::Kind::kSequence ? &node->items[index] : &node->entries[index].value;
  }
  const bool is_open = std::any_of(open_.begin(), open_.end(),
                                   [&](const Level& level) { return level.node == node; });
  return is_open ? nullptr : node;
}

std::string TreeBuilder::path() const {
  std::string path;
  for (const Level& level : open_) {
    const bool innermost = &level == &open_.back();
    if (level.node->kind == Node::Kind::kSequence) {
      path += fmt::format("[{}]", level.node->items.size() - (innermost ? 0 : 1));
    } else if (!innermost || level.has_key) {
      path = joined_path(path, level.node->entries.back().key);
    }
  }
  return path;
}

}  // namespace evictd::document
