// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/node/node.h>  // parser.h only declares it; clang-tidy would take ours for it.
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "core/control_character.h"
#include "document/parse.h"
#include "document/scalar.h"
#include "document/tree_builder.h"
#include "evictd/try.h"

namespace evictd::document {
namespace {

/// Appended to the text. It is a comment, unless a quote is still open, which the parser would take
/// as closed. No text contains it, because it has a control character.
constexpr std::string_view kEndMark = "\n#\x01";

Place place_at(const YAML::Mark& mark) {
  return {.line = std::max(mark.line, 0) + 1, .column = std::max(mark.column, 0) + 1};
}

/// Forwards the events of the parser to the builder.
class YamlEvents final : public YAML::EventHandler {
 public:
  YamlEvents(const Dialect& dialect, TreeBuilder& builder) : dialect_(dialect), builder_(builder) {}

  /// A key that is no text; what follows was only checked for invalid YAML.
  [[nodiscard]] const std::optional<Refusal>& refused_key() const { return refused_key_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // The parser consumes no comma or bracket outside of a flow collection, but takes it for one
    // empty document after another, without end.
    if (std::exchange(document_at_, mark.pos) == mark.pos) {
      throw YAML::ParserException(mark, "a flow indicator outside of a flow collection");
    }
    if (++documents_ > 1 && !dialect_.has_all_yaml && !refused_key_) {
      refuse(mark, "a second document; allowed: one document a file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (refused_key_) {
      return;
    }
    Node node;
    check_extras(node, mark, "?", anchor);
    if (!builder_.expects_key()) {
      builder_.add(place_at(mark), std::move(node), anchor);
    } else if (dialect_.has_all_yaml) {
      builder_.add_key(place_at(mark), "");
    } else {
      refuse_key(mark, "null");
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (refused_key_) {
      return;
    }
    if (!dialect_.has_all_yaml) {
      refuse(mark, builder_.about_next("an alias; allowed: values written out"));
    }
    if (builder_.expects_key()) {
      refuse(mark, fmt::format(fmt::runtime(dialect_.words.no_key), "an alias"));
    }
    builder_.add_alias(place_at(mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (refused_key_) {
      return;
    }
    Node scalar;
    scalar.kind = Node::Kind::kScalar;
    scalar.text = value;
    scalar.plain = tag == "?";
    check_extras(scalar, mark, tag, anchor);
    if (!dialect_.has_all_yaml) {
      check_escapes(scalar, mark);
    }
    if (!builder_.expects_key()) {
      builder_.add(place_at(mark), std::move(scalar), anchor);
      return;
    }
    if (dialect_.has_all_yaml && value == "<<") {
      refuse(mark, "merge keys ('<<') are not supported");
    }
    builder_.add_key(place_at(mark), value);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string reason) {
    throw Refusal(Errc::kInvalid, place_at(mark), std::move(reason));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (!refused_key_) {
      Node node;
      node.kind = kind;
      check_extras(node, mark, tag, anchor);
    }
    check_depth(depth_++, dialect_, place_at(mark));
    if (!refused_key_ && builder_.expects_key()) {
      refuse_key(mark, kind == Node::Kind::kMap ? "a mapping" : "a sequence");
    }
    if (!refused_key_) {
      builder_.open(place_at(mark), kind, anchor);
    }
  }

  void close() {
    --depth_;
    if (!refused_key_) {
      builder_.close();
    }
  }

  /// The parser also reports such a key if a bracket before it is not closed, and invalid YAML
  /// later.
  void refuse_key(const YAML::Mark& mark, std::string_view what) {
    refused_key_ = Refusal(Errc::kInvalid, place_at(mark),
                           fmt::format(fmt::runtime(dialect_.words.no_key), what));
  }

  /// Obeys a scalar's tag, or refuses a tag or an anchor.
  void check_extras(Node& node, const YAML::Mark& mark, const std::string& tag,
                    YAML::anchor_t anchor) const {
    if (dialect_.has_all_yaml) {
      if (node.kind == Node::Kind::kScalar && !obey_tag(tag, node)) {
        refuse(mark, "tag '" + tag + "' cannot be read");
      }
      return;
    }
    if (anchor != YAML::NullAnchor) {
      refuse(mark, builder_.about(node, "an anchor; allowed: values written out"));
    }
    // The parser's tag is "?" for a value without a tag, "!" for one in quotes.
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, builder_.about(node, "a tag; allowed: values without one"));
    }
  }

  /// An escape can produce characters that the file itself may not contain.
  void check_escapes(const Node& scalar, const YAML::Mark& mark) const {
    const std::string_view text = scalar.text;
    if (text.find(kEndMark.substr(1)) != std::string_view::npos) {
      throw Refusal(Errc::kMalformed, place_at(mark), "not valid YAML: an unclosed quote");
    }
    if (const auto control = core::find_control_character(text)) {
      throw Refusal(Errc::kMalformed, place_at(mark),
                    builder_.about(scalar, control_reason(text.substr(*control))));
    }
  }

  const Dialect& dialect_;
  TreeBuilder& builder_;
  int documents_ = 0;
  /// Where the last one begins; -1 before the first one.
  int document_at_ = -1;
  std::size_t depth_ = 0;
  std::optional<Refusal> refused_key_;
};

/// Throws a Refusal or the parser's exceptions.
std::vector<Node> trees_of(std::string_view text, const Dialect& dialect) {
  std::istringstream stream(std::string(text) + std::string(kEndMark));
  TreeBuilder builder(dialect);
  YamlEvents events(dialect, builder);
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(events)) {
  }
  if (events.refused_key()) {
    throw Refusal(*events.refused_key());
  }
  return builder.take();
}

}  // namespace

Result<std::vector<Node>> parse_yaml(std::string_view text, std::string_view name,
                                     const Dialect& dialect) {
  constexpr bool kRefuseControls = true;
  EVICTD_TRY(check_text(text, name, dialect, kRefuseControls));
  const auto no_yaml = [&](Place place, std::string_view message) {
    return fail_at(dialect, name,
                   Refusal(Errc::kMalformed, place,
                           fmt::format(fmt::runtime(dialect.words.no_yaml), message)));
  };
  try {
    return trees_of(text, dialect);
  } catch (const Refusal& refusal) {
    return fail_at(dialect, name, refusal);
  } catch (const YAML::Exception& error) {
    const bool behind =
        error.mark.pos >= 0 && static_cast<std::size_t>(error.mark.pos) > text.size();
    return no_yaml(behind ? place_of(text, text.size()) : place_at(error.mark), error.msg);
  } catch (const std::exception& error) {
    return no_yaml({}, error.what());
  }
}

}  // namespace evictd::document
