// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::config {
namespace {

YamlNode read(std::string_view text) {
  Result<YamlNode> node = parse_yaml(text, "f.yaml");
  EXPECT_TRUE(node.has_value()) << node.error().message();
  return node.value_or(YamlNode());
}

Error refused(std::string_view text, const YamlLimits& limits = {}) {
  const Result<YamlNode> node = parse_yaml(text, "f.yaml", limits);
  EXPECT_FALSE(node.has_value()) << text;
  return node ? Error() : node.error();
}

TEST(YamlTree, KeepsOrderLinesAndQuotes) {
  const YamlNode root = read("# comment\nb: 10\na:\n  - \"true\"\n  - {}\n");
  ASSERT_EQ(root.kind, YamlNode::Kind::kMap);
  ASSERT_EQ(root.entries.size(), 2U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[0].line, 2);
  EXPECT_EQ(root.entries[0].value.text, "10");
  EXPECT_TRUE(root.entries[0].value.plain);
  const YamlNode& list = root.entries[1].value;
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_EQ(list.items[0].text, "true");
  EXPECT_FALSE(list.items[0].plain);
  EXPECT_EQ(list.items[0].line, 4);
  EXPECT_EQ(list.items[1].kind, YamlNode::Kind::kMap);
}

TEST(YamlTree, ReadsJson) {
  const YamlNode root = read(R"({"a": {"b": ["c", 1]}})");
  EXPECT_EQ(root.entries[0].value.entries[0].value.items[1].text, "1");
}

TEST(YamlTree, AnEmptyDocumentIsNull) {
  EXPECT_EQ(read("").kind, YamlNode::Kind::kNull);
  EXPECT_EQ(read("# nothing\n").kind, YamlNode::Kind::kNull);
  EXPECT_EQ(read("---\n").kind, YamlNode::Kind::kNull);
}

TEST(YamlTree, RefusesWhatIsNoYaml) {
  const Error error = refused("a: b\n c: d\n  - [\n");
  EXPECT_EQ(error.code, Errc::kMalformed);
  EXPECT_TRUE(error.context.starts_with("f.yaml:2:3: not valid YAML: ")) << error.context;
}

TEST(YamlTree, RefusesADuplicateKeyAndNamesBothLines) {
  EXPECT_EQ(refused("a: 1\nb:\n  c: 1\n  c: 2\n").context,
            "f.yaml:4:3: b.c: 2: duplicate key, first given on line 3; allowed: each key once");
  EXPECT_EQ(refused("a: 1\na: {b: 2}\n").context,
            "f.yaml:2:1: a: a mapping: duplicate key, first given on line 1; allowed: each key "
            "once");
  EXPECT_EQ(refused("a:\n- {b: 1, b:}\n").context,
            "f.yaml:2:10: a[0].b: null: duplicate key, first given on line 2; allowed: each key "
            "once");
}

TEST(YamlTree, RefusesAnchorsAliasesAndTags) {
  EXPECT_EQ(refused("a: &x 1\n").context,
            "f.yaml:1:4: a: 1: an anchor; allowed: values written out");
  EXPECT_EQ(refused("a: &x [*x]\n").context,
            "f.yaml:1:4: a: a list: an anchor; allowed: values written out");
  EXPECT_EQ(refused("a: !!str 1\n").context,
            "f.yaml:1:4: a: \"1\": a tag; allowed: values without one");
  EXPECT_EQ(refused("a:\n  b.c: [1, !!str 2]\n").context,
            "f.yaml:2:12: a[b.c][1]: \"2\": a tag; allowed: values without one");
}

TEST(YamlTree, RefusesASecondDocument) {
  const Error error = refused("a: 1\n---\nb: 1\n");
  EXPECT_EQ(error.code, Errc::kInvalid);
  EXPECT_EQ(error.context, "f.yaml:2:1: a second document; allowed: one document a file");
}

TEST(YamlTree, RefusesACommaBehindARefusedKey) {
  // The parser would take the comma for one document after another.
  EXPECT_EQ(refused("{,a: 1},").context,
            "f.yaml:1:8: not valid YAML: a flow indicator outside of a flow collection");
}

TEST(YamlTree, RefusesAKeyThatIsNoText) {
  EXPECT_EQ(refused("[a]: 1\n").context, "f.yaml:1:1: a key that is not text; allowed: text");
  EXPECT_EQ(refused("~: 1\n").context, "f.yaml:1:1: a key that is not text; allowed: text");
}

TEST(YamlTree, SaysOfATruncatedListOrMappingThatItIsNoYaml) {
  EXPECT_EQ(refused(R"({"a": {"b": 1})").context,
            "f.yaml:1:15: not valid YAML: end of map flow not found");
  EXPECT_EQ(refused(R"({"a":)").context, "f.yaml:1:6: not valid YAML: end of map flow not found");
  EXPECT_EQ(refused("a: [[").context, "f.yaml:1:6: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(refused("a: {b: {c").context, "f.yaml:1:9: not valid YAML: end of map flow not found");
  EXPECT_EQ(refused("[a]: 1\nb: [\n").context,
            "f.yaml:3:1: not valid YAML: end of sequence flow not found");
  const std::string deep = refused("a: " + std::string(5000, '[')).context;
  EXPECT_TRUE(deep.ends_with(": nested too deep; allowed: 16 levels")) << deep;
}

TEST(YamlTree, RefusesBytesThatAreNoUtf8WithTheirPosition) {
  const Error error = refused("a: 1\nb: \"x\xc3(\"\n");
  EXPECT_EQ(error.code, Errc::kMalformed);
  EXPECT_EQ(error.context, "f.yaml:2:6: b: \"x?(\": byte 0xc3 is not UTF-8; allowed: UTF-8 text");
}

TEST(YamlTree, ShowsNoMoreThanTheBeginningOfALongLineOfBadBytes) {
  const std::string bad(100'000, '\xff');
  EXPECT_EQ(refused("  a: " + bad).context, "f.yaml:1:6: a: " + std::string(57, '?') +
                                                "...: byte 0xff is not UTF-8; allowed: UTF-8 text");
}

TEST(YamlTree, RefusesControlCharacters) {
  EXPECT_EQ(refused(std::string_view("a: \0b\n", 6)).context,
            "f.yaml:1:4: a:  b: control character 0x00; allowed: printable text");
  EXPECT_EQ(refused("a: \x1b[31m\n").context,
            "f.yaml:1:4: a:  [31m: control character 0x1b; allowed: printable text");
  EXPECT_EQ(refused("a: 1\n\x01\n").context.substr(0, 11), "f.yaml:2:1:");
  EXPECT_EQ(refused("a: \xc2\x9b"
                    "31m\n")
                .context,
            "f.yaml:1:4: a:  31m: control character 0x9b; allowed: printable text");
}

TEST(YamlTree, RefusesControlCharactersThatAnEscapeWrites) {
  const Error error = refused(R"(a: "x\e[31m")");
  EXPECT_EQ(error.code, Errc::kMalformed);
  EXPECT_EQ(error.context,
            "f.yaml:1:4: a: \"x [31m\": control character 0x1b; allowed: printable text");
  EXPECT_EQ(refused("b: 1\na: [b, \"/tmp/c\\0d\"]\n").context,
            "f.yaml:2:8: a[1]: \"/tmp/c d\": control character 0x00; allowed: printable text");
  EXPECT_EQ(refused(R"({"a": {"b\u007f": 1}})").context,
            "f.yaml:1:8: a.b : control character 0x7f; allowed: printable text");
  EXPECT_EQ(refused(R"(a: "x\u009b31m")").context,
            "f.yaml:1:4: a: \"x 31m\": control character 0x9b; allowed: printable text");
  EXPECT_EQ(read(R"(a: "b\tc\n")").entries[0].value.text, "b\tc\n");
}

TEST(YamlTree, RefusesWhatIsTooLongTooDeepOrTooMuch) {
  EXPECT_EQ(refused("a: 12345", {.bytes = 7}).context, "f.yaml: 8 bytes; allowed: 7 at most");
  const Error deep = refused(std::string(17, '[') + std::string(17, ']'));
  EXPECT_EQ(deep.code, Errc::kExhausted);
  EXPECT_EQ(deep.context, "f.yaml:1:17: nested too deep; allowed: 16 levels");
  EXPECT_EQ(refused("[1, 2, 3]", {.nodes = 3}).context, "f.yaml:1:8: too many values; allowed: 3");
}

TEST(YamlTree, HostileTextOfTheLargestSizeIsRefusedNotSuffered) {
  for (const std::string_view piece : {"[", "{", "- ", "? ", "{a: ", "\"", "&", "!", "|"}) {
    std::string text;
    while (text.size() + piece.size() <= YamlLimits{}.bytes) {
      text += piece;
    }
    EXPECT_FALSE(parse_yaml(text, "f.yaml").has_value()) << piece;
  }
}

TEST(YamlTree, AQuoteThatIsNotClosedIsAnError) {
  for (const char* text : {"a: \"b", "a: 'b\n", "a: b\n\"c", "a: [\"b", "a: \"b\\"}) {
    const auto tree = parse_yaml(text, "cut.yaml");
    EXPECT_FALSE(tree.has_value()) << text;
  }
  EXPECT_EQ(parse_yaml("a: \"b\n", "cut.yaml").error().message(),
            "cut.yaml:2:1: not valid YAML: illegal EOF in scalar");
  EXPECT_TRUE(parse_yaml("a: |\n  b # c", "cut.yaml").has_value());
}

}  // namespace
}  // namespace evictd::config
