// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "document/dialect.h"
#include "document/node.h"
#include "document/place.h"
#include "evictd/result.h"

namespace evictd::document {

/// Leaves a parser from inside a callback; never leaves this folder.
struct Refusal : std::exception {
  Refusal(Errc refusal_code, Place where, std::string what_is_wrong)
      : code(refusal_code), place(where), reason(std::move(what_is_wrong)) {}

  Errc code;
  Place place;
  std::string reason;
};

/// "NAME:LINE: what" or "NAME:LINE:COLUMN: what", as the dialect says.
[[nodiscard]] Failure fail_at(const Dialect& dialect, std::string_view name,
                              const Refusal& refusal);

/// Refuses a text that is too long, is not UTF-8 or, with `refuse_controls`, has control characters
/// other than tab and line ends.
[[nodiscard]] Result<> check_text(std::string_view text, std::string_view name,
                                  const Dialect& dialect, bool refuse_controls);

/// `depth` levels are open when another one begins. Throws a Refusal.
void check_depth(std::size_t depth, const Dialect& dialect, Place place);

/// Why the control character at the start of the text is refused.
[[nodiscard]] std::string control_reason(std::string_view from_control);

/// Builds trees from the events of a parser, so that a limit or an unwanted construct stops the
/// parser at once: what is refused is thrown as a Refusal.
class TreeBuilder {
 public:
  explicit TreeBuilder(const Dialect& dialect) : dialect_(dialect) {}

  /// Adds null or a scalar; `anchor` 0 means none.
  void add(Place place, Node node, std::size_t anchor = 0);
  void add_key(Place place, const std::string& key);
  /// Adds what the anchor stands for.
  void add_alias(Place place, std::size_t anchor);
  /// Begins a sequence or a map, which close() ends. It may not be a key.
  void open(Place place, Node::Kind kind, std::size_t anchor = 0);
  void close() { open_.pop_back(); }

  /// Whether the next value is the key of a map.
  [[nodiscard]] bool expects_key() const;
  /// Describes a problem of `node`, the next value, with its key and, if it is not a key, its
  /// value.
  [[nodiscard]] std::string about(const Node& node, std::string_view reason) const;
  /// The same without a value.
  [[nodiscard]] std::string about_next(std::string_view reason) const;
  /// The documents, each with its root.
  [[nodiscard]] std::vector<Node> take() { return std::move(documents_); }

 private:
  /// A map or sequence that is still being filled. Its node does not move meanwhile, because only
  /// the innermost open node gets children.
  struct Level {
    Node* node = nullptr;
    bool has_key = false;
    /// Of a map: its keys with their lines.
    std::unordered_map<std::string, int> keys;
  };

  /// A duplicate key; refused together with its value, which comes next.
  struct Duplicate {
    Place place;
    int first_line = 0;
  };

  Node* put(Place place, Node node);
  void count(std::size_t values, Place place);
  /// Notes that `anchor` stands for the last value put.
  void keep(std::size_t anchor);
  /// What the anchor stands for; nullptr if that is not complete.
  [[nodiscard]] const Node* find(std::size_t anchor);
  [[nodiscard]] std::string path() const;

  const Dialect& dialect_;
  std::vector<Node> documents_;
  std::vector<Level> open_;
  std::optional<Duplicate> duplicate_;
  /// Of the last document: where to find each value with an anchor, by its index on each level.
  std::map<std::size_t, std::vector<std::size_t>> anchors_;
  std::size_t values_ = 0;
};

}  // namespace evictd::document
