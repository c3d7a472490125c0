// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "config/text_place.h"
#include "config/utf8.h"
#include "config/value.h"
#include "core/control_character.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

/// Appended to the text. It is a comment, unless a quote is still open, which the parser would take
/// as closed. No text contains it, because it has a control character.
constexpr std::string_view kEndMark = "\n#\x01";

std::string control_reason(std::string_view from_control) {
  return fmt::format("control character {:#04x}; allowed: printable text",
                     core::control_character_code(from_control));
}

/// "sweep.floor: 30us: REASON", without empty parts.
std::string about(const std::string& path, const std::string& value, std::string_view reason) {
  std::string text;
  for (const std::string& part : {path, value}) {
    text += part.empty() ? "" : part + ": ";
  }
  return text + std::string(reason);
}

/// A key as the next part of a path: "floor" in "sweep.floor". A name that contains dots is in
/// brackets, as in "evictionHard[memory.available]".
std::string joined_path(const std::string& path, const std::string& key) {
  YamlNode name;
  name.kind = YamlNode::Kind::kScalar;
  name.text = key;
  name.plain = !key.empty();
  std::string text = shown(name);
  if (path.empty()) {
    return text;
  }
  return key.find('.') == std::string::npos ? path + "." + text : path + "[" + text + "]";
}

/// Leaves the parser from inside a callback; never leaves this file.
struct Refusal : std::exception {
  Refusal(Errc refusal_code, YAML::Mark where, std::string what_is_wrong)
      : code(refusal_code), mark(where), reason(std::move(what_is_wrong)) {}

  Errc code;
  YAML::Mark mark;
  std::string reason;
};

/// A key that is a list, a mapping or null. The parser also reports one if a bracket before it is
/// not closed.
struct KeyIsNoText : Refusal {
  using Refusal::Refusal;
};

/// `depth` levels are open when another one begins.
void check_depth(std::size_t depth, const YamlLimits& limits, const YAML::Mark& mark) {
  if (depth >= limits.depth) {
    throw Refusal(Errc::kExhausted, mark,
                  fmt::format("nested too deep; allowed: {} levels", limits.depth));
  }
}

/// Ignores the parser's events. The parser runs to the first invalid YAML, if there is any.
class SyntaxCheck final : public YAML::EventHandler {
 public:
  explicit SyntaxCheck(const YamlLimits& limits) : limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    check_depth(depth_++, limits_, mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    check_depth(depth_++, limits_, mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  const YamlLimits& limits_;
  std::size_t depth_ = 0;
};

/// Builds the tree from the parser's events, so that a limit or an unwanted construct stops the
/// parser at once.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  [[nodiscard]] YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw Refusal(Errc::kInvalid, mark, "a second document; allowed: one document a file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlNode node = node_at(mark, YamlNode::Kind::kNull);
    refuse_extras(node, mark, "?", anchor);
    place(mark, node);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw Refusal(Errc::kInvalid, mark, about(path(), "", "an alias; allowed: values written out"));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode scalar = node_at(mark, YamlNode::Kind::kScalar);
    scalar.text = value;
    scalar.plain = tag == "?";
    refuse_extras(scalar, mark, tag, anchor);
    if (value.find(kEndMark.substr(1)) != std::string::npos) {
      throw Refusal(Errc::kMalformed, mark, "not valid YAML: an unclosed quote");
    }
    // An escape can produce characters that the file itself may not contain.
    if (const auto control = find_control_character(value)) {
      throw Refusal(Errc::kMalformed, mark,
                    about_node(scalar, control_reason(std::string_view(value).substr(*control))));
    }
    if (expects_key()) {
      begin_entry(mark, value);
      return;
    }
    place(mark, std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_extras(node_at(mark, YamlNode::Kind::kSequence), mark, tag, anchor);
    open(mark, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_extras(node_at(mark, YamlNode::Kind::kMap), mark, tag, anchor);
    open(mark, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  /// A map or sequence that is still being filled. Its node does not move meanwhile, because only
  /// the innermost open node gets children.
  struct Level {
    YamlNode* node = nullptr;
    bool has_key = false;
  };

  /// A duplicate key; refused together with its value, which comes next.
  struct Duplicate {
    YAML::Mark mark;
    int first_line = 0;
  };

  [[nodiscard]] static YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    return node;
  }

  /// Path of the next value: the keys and indices of all open nodes.
  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Level& level : open_) {
      const bool innermost = &level == &open_.back();
      if (level.node->kind == YamlNode::Kind::kSequence) {
        path += fmt::format("[{}]", level.node->items.size() - (innermost ? 0 : 1));
      } else if (!innermost || level.has_key) {
        path = joined_path(path, level.node->entries.back().key);
      }
    }
    return path;
  }

  /// Describes a problem of `node`, the next value, with its key and, if it is not a key, its
  /// value.
  [[nodiscard]] std::string about_node(const YamlNode& node, std::string_view reason) const {
    return expects_key() && node.kind == YamlNode::Kind::kScalar
               ? about(joined_path(path(), node.text), "", reason)
               : about(path(), shown(node), reason);
  }

  void refuse_extras(const YamlNode& node, const YAML::Mark& mark, const std::string& tag,
                     YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      throw Refusal(Errc::kInvalid, mark,
                    about_node(node, "an anchor; allowed: values written out"));
    }
    // The parser's tag is "?" for a value without a tag, "!" for one in quotes.
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal(Errc::kInvalid, mark, about_node(node, "a tag; allowed: values without one"));
    }
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node->kind == YamlNode::Kind::kMap &&
           !open_.back().has_key;
  }

  void begin_entry(const YAML::Mark& mark, const std::string& key) {
    count(mark);
    std::vector<YamlEntry>& entries = open_.back().node->entries;
    const auto twin = std::find_if(entries.begin(), entries.end(),
                                   [&](const YamlEntry& entry) { return entry.key == key; });
    if (twin != entries.end()) {
      duplicate_ = Duplicate{.mark = mark, .first_line = twin->line};
    }
    entries.push_back(YamlEntry{.key = key, .line = mark.line + 1, .value = {}});
    open_.back().has_key = true;
  }

  YamlNode* place(const YAML::Mark& mark, YamlNode node) {
    count(mark);
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    Level& level = open_.back();
    if (level.node->kind == YamlNode::Kind::kSequence) {
      level.node->items.push_back(std::move(node));
      return &level.node->items.back();
    }
    if (!level.has_key) {
      throw KeyIsNoText(Errc::kInvalid, mark, "a key that is not text; allowed: text");
    }
    if (duplicate_) {
      throw Refusal(Errc::kInvalid, duplicate_->mark,
                    about_node(node, fmt::format("duplicate key, first given on line {}; allowed: "
                                                 "each key once",
                                                 duplicate_->first_line)));
    }
    level.has_key = false;
    YamlEntry& entry = level.node->entries.back();
    if (node.kind == YamlNode::Kind::kNull) {
      node.line = entry.line;  // the parser gives the place of the token after it
    }
    entry.value = std::move(node);
    return &entry.value;
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind) {
    check_depth(open_.size(), limits_, mark);
    YamlNode* node = place(mark, node_at(mark, kind));
    open_.push_back(Level{.node = node});
  }

  void count(const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes) {
      throw Refusal(Errc::kExhausted, mark,
                    fmt::format("too many values; allowed: {}", limits_.nodes));
    }
  }

  const YamlLimits& limits_;
  YamlNode root_;
  std::vector<Level> open_;
  std::optional<Duplicate> duplicate_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

std::string at(std::string_view filename, const YAML::Mark& mark) {
  return fmt::format("{}:{}:{}", filename, mark.line + 1, mark.column + 1);
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
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  YamlNode line;
  line.kind = YamlNode::Kind::kScalar;
  line.text = text;
  line.plain = true;
  while (const auto bad = find_invalid_utf8(line.text)) {
    line.text[*bad] = '?';
  }
  return shown(line);
}

Result<> check_bytes(std::string_view text, std::string_view filename) {
  const auto refuse_at = [&](std::size_t offset, std::string_view reason) {
    return fail(Errc::kMalformed, fmt::format("{}: {}", text_place(filename, text, offset),
                                              about("", shown_line(text, offset), reason)));
  };
  if (const auto bad = find_invalid_utf8(text)) {
    return refuse_at(*bad, fmt::format("byte {:#04x} is not UTF-8; allowed: UTF-8 text",
                                       static_cast<unsigned char>(text[*bad])));
  }
  if (const auto control = find_control_character(text)) {
    return refuse_at(*control, control_reason(text.substr(*control)));
  }
  return {};
}

void run_parser(const std::string& source, YAML::EventHandler& events) {
  std::istringstream stream(source);
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(events)) {
  }
}

/// Throws a Refusal or the parser's exceptions.
YamlNode tree_of(std::string_view text, const YamlLimits& limits) {
  const std::string source = std::string(text) + std::string(kEndMark);
  try {
    TreeBuilder builder(limits);
    run_parser(source, builder);
    return builder.take_root();
  } catch (const KeyIsNoText&) {
    SyntaxCheck check(limits);
    run_parser(source, check);
    throw;
  }
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, std::string_view filename,
                            const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    return fail(Errc::kExhausted, fmt::format("{}: {} bytes; allowed: {} at most", filename,
                                              text.size(), limits.bytes));
  }
  EVICTD_TRY(check_bytes(text, filename));
  try {
    return tree_of(text, limits);
  } catch (const Refusal& refusal) {
    return fail(refusal.code, fmt::format("{}: {}", at(filename, refusal.mark), refusal.reason));
  } catch (const YAML::Exception& error) {
    const bool behind =
        error.mark.pos >= 0 && static_cast<std::size_t>(error.mark.pos) > text.size();
    const std::string place =
        behind ? text_place(filename, text, text.size()) : at(filename, error.mark);
    return fail(Errc::kMalformed, fmt::format("{}: not valid YAML: {}", place, error.msg));
  } catch (const std::exception& error) {
    return fail(Errc::kMalformed, fmt::format("{}: not valid YAML: {}", filename, error.what()));
  }
}

}  // namespace evictd::config
