// SPDX-License-Identifier: Apache-2.0
#include "cluster/document.h"

#include <gtest/gtest.h>

namespace evictd::cluster {
namespace {

using nlohmann::json;

json one(std::string_view text, DocumentFormat format = DocumentFormat::kYaml) {
  Result<std::vector<Document>> documents = parse_documents(text, "f", format);
  EXPECT_TRUE(documents) << documents.error().message();
  EXPECT_EQ(documents->size(), 1U);
  return documents->at(0).value;
}

Error document_error(std::string_view text, DocumentFormat format = DocumentFormat::kYaml,
                     const DocumentLimits& limits = {}) {
  const Result<std::vector<Document>> documents = parse_documents(text, "f", format, limits);
  EXPECT_FALSE(documents) << text;
  return documents ? Error{} : documents.error();
}

TEST(ParseDocuments, ReadsYamlAsJson) {
  EXPECT_EQ(one("a: [1, -2, 3.5, true, null, ~, text]\nb:\n  c: \"7\"\n  d:\n"),
            json::parse(R"({"a":[1,-2,3.5,true,null,null,"text"],"b":{"c":"7","d":null}})"));
}

TEST(ParseDocuments, LeavesWhatYamlVersionsReadDifferentlyAsText) {
  EXPECT_EQ(
      one("[010, yes, on, .inf, 0o17, 1_000, 2026-11-20T22:21:33Z, 1e999]"),
      json::parse(R"(["010","yes","on",".inf","0o17","1_000","2026-11-20T22:21:33Z","1e999"])"));
}

TEST(ParseDocuments, ReadsNumbersOfTheCoreSchema) {
  EXPECT_EQ(one("[0x1F, +5, 0.5, .5, 1e3, 9223372036854775807]"),
            json::parse("[31, 5, 0.5, 0.5, 1000.0, 9223372036854775807]"));
}

TEST(ParseDocuments, ObeysTheTagsOfTheCoreSchema) {
  EXPECT_EQ(one("[!!str 5, !!int 5, !!null ~, ! 6]"), json::parse(R"(["5", 5, null, "6"])"));
  EXPECT_EQ(document_error("a: !custom 5").message(), "f:1: tag '!custom' cannot be read");
  EXPECT_EQ(document_error("a: !!int five").code, Errc::kInvalid);
}

TEST(ParseDocuments, ReadsEveryDocumentWithItsLine) {
  const Result<std::vector<Document>> documents =
      parse_documents("# nothing\n---\na: 1\n---\n---\n\nb: 2\n", "f", DocumentFormat::kYaml);
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(documents->at(0).tree.line, 3);
  EXPECT_EQ(documents->at(1).tree.line, 7);
}

TEST(ParseDocuments, RefusesBytesThatAreNoUtf8WithTheirLine) {
  const Error yaml = document_error("a: 1\nb: \"\xff\xfe\"\n");
  EXPECT_EQ(yaml.message(), "f:2: byte 0xff is not UTF-8; allowed: UTF-8 text");
  EXPECT_EQ(yaml.code, Errc::kMalformed);
  EXPECT_EQ(document_error("{\"a\":\n\"\xc0\x80\"}", DocumentFormat::kJson).message(),
            "f:2: byte 0xc0 is not UTF-8; allowed: UTF-8 text");
}

TEST(ParseDocuments, RefusesControlCharactersThatNoEscapeWrote) {
  EXPECT_EQ(document_error("a: 1\n\nb: \"x\x1b[31m\"\n").message(),
            "f:3: control character 0x1b; allowed: printable text");
  EXPECT_EQ(document_error("a: \"x\xc2\x9b\"\n").message(),
            "f:1: control character 0x9b; allowed: printable text");
  EXPECT_EQ(one("a: \"x\\e[31m\\n\"\nb: \"\t\"\n"),
            json::parse(R"({"a":"x\u001b[31m\n","b":"\t"})"));
}

TEST(ParseDocuments, FindsNothingInAnEmptyText) {
  for (const char* text : {"", "# only a comment\n", "---\n", "---\n---\n"}) {
    EXPECT_TRUE(parse_documents(text, "f", DocumentFormat::kYaml)->empty()) << text;
  }
}

TEST(ParseDocuments, RefusesAKeyThatIsThereTwice) {
  EXPECT_EQ(document_error("a: 1\nb: 2\na: 3\n").message(), "f:3: key 'a' is given twice");
  EXPECT_EQ(document_error("{\n\"a\": 1,\n\"a\": 2}", DocumentFormat::kJson).message(),
            "f:3: key 'a' is given twice");
}

TEST(ParseDocuments, RefusesKeysThatAreNoText) {
  EXPECT_EQ(document_error("? [a]\n: 1\n").message(), "f:1: a sequence cannot be a key");
  EXPECT_EQ(document_error("? {a: 1}\n: 1\n").message(), "f:1: a mapping cannot be a key");
  EXPECT_EQ(document_error("a: &x 1\n*x : 2\n").message(), "f:2: an alias cannot be a key");
  EXPECT_EQ(document_error("base: &x {a: 1}\nb:\n  <<: *x\n").message(),
            "f:3: merge keys ('<<') are not supported");
}

TEST(ParseDocuments, ReadsAliasesAsWhatTheyStandFor) {
  EXPECT_EQ(one("a: &x {b: [1]}\nc: *x\n"), json::parse(R"({"a":{"b":[1]},"c":{"b":[1]}})"));
}

TEST(ParseDocuments, AnAliasIsOfItsOwnDocumentAndLine) {
  const auto documents = parse_documents("a: &x [1]\nb:\n- *x\n---\nc: &y {d: &x 2}\ne: [*x, *y]\n",
                                         "f", DocumentFormat::kYaml);
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(find_line(documents->at(0), "b[0]"), 3);
  EXPECT_EQ(documents->at(1).value, json::parse(R"({"c":{"d":2},"e":[2,{"d":2}]})"));
}

TEST(ParseDocuments, RefusesAnAliasToWhatItIsIn) {
  EXPECT_EQ(document_error("a: &x [1, *x]").message(), "f:1: an alias to a value that contains it");
}

TEST(ParseDocuments, CountsWhatAliasesStandFor) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) {
      bomb += ", " + before;
    }
    bomb += "]\n";
  }
  const Error error = document_error(bomb);
  EXPECT_EQ(error.code, Errc::kExhausted);
  EXPECT_EQ(error.message(), "f:6: more than 200000 values");
}

TEST(ParseDocuments, RefusesDeepNesting) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(document_error(deep).message(), "f:1: nested deeper than 64 levels");
  EXPECT_EQ(document_error(deep, DocumentFormat::kJson).message(),
            "f:1: nested deeper than 64 levels");
}

TEST(ParseDocuments, CountsTheLevelsThatAliasesStandFor) {
  std::string tower = "a0: &a0 [x]\n";
  for (int i = 1; i < 200; ++i) {
    tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
             "]\n";
  }
  const Error error = document_error(tower);
  EXPECT_EQ(error.code, Errc::kExhausted);
  EXPECT_EQ(error.message(), "f:64: nested deeper than 64 levels") << "the mapping is one of them";
  EXPECT_TRUE(parse_documents(tower.substr(0, tower.find("a63:")), "f", DocumentFormat::kYaml));
}

TEST(ParseDocuments, RefusesALongText) {
  EXPECT_EQ(document_error("aaaa", DocumentFormat::kYaml, {3, 64, 10}).message(),
            "f:1: longer than 3 bytes");
}

TEST(ParseDocuments, NamesTheLineThatIsNoYaml) {
  const Error error = document_error("a: 1\nb: [1, 2\nc: }\n");
  EXPECT_EQ(error.code, Errc::kMalformed);
  EXPECT_TRUE(error.message().starts_with("f:")) << error.message();
  EXPECT_NE(error.message().find("not YAML"), std::string::npos);
}

TEST(ParseDocuments, RefusesACommaBetweenDocuments) {
  // The parser would take it for one document after another.
  for (const std::string text : {"{a: 1},", "{a: 1}\n,\n{b: 1}\n"}) {
    EXPECT_EQ(document_error(text).code, Errc::kMalformed) << text;
  }
}

TEST(ParseDocuments, RefusesAQuoteThatIsOpenAtTheEndOfTheFile) {
  for (const std::string text : {"a: 1\nb: 'x", "a: 1\nb: 'x\n", "a: 1\nb: \"x\n\n", "- 'x\n"}) {
    EXPECT_EQ(document_error(text).code, Errc::kMalformed) << text;
  }
}

TEST(ParseDocuments, ReadsTheLastLineWhateverEndsIt) {
  for (const std::string text : {"a: x", "a: x\n", "a: x # comment", "a: |-\n  x\n", "a: >-\n  x",
                                 "{a: x}", "a: x\n...\n", "a: x\n---\n"}) {
    const auto documents = parse_documents(text, "f", DocumentFormat::kYaml);
    ASSERT_TRUE(documents) << text;
    ASSERT_EQ(documents->size(), 1U) << text;
    EXPECT_EQ(documents->front().value, nlohmann::json({{"a", "x"}})) << text;
  }
}

TEST(ParseDocuments, NamesTheLineThatIsNoJson) {
  EXPECT_TRUE(document_error("{\"a\": 1,\n\n oops}", DocumentFormat::kJson)
                  .message()
                  .starts_with("f:3: not JSON at"));
  EXPECT_EQ(document_error("{} {}", DocumentFormat::kJson).code, Errc::kMalformed);
  EXPECT_EQ(document_error("", DocumentFormat::kJson).code, Errc::kMalformed);
}

TEST(ParseDocuments, SaysOfANumberThatItIsOutOfRangeAndNotThatItIsNoJson) {
  const Error error = document_error("{\"a\": 1,\n\"b\": 1e400}", DocumentFormat::kJson);
  EXPECT_EQ(error.code, Errc::kInvalid);
  EXPECT_EQ(error.message(), "f:2: the number 1e400 is out of range");
  EXPECT_EQ(document_error("[-1e400]", DocumentFormat::kJson).message(),
            "f:1: the number -1e400 is out of range");
  EXPECT_EQ(document_error("[" + std::string(400, '9') + "]", DocumentFormat::kJson).message(),
            "f:1: the number " + std::string(40, '9') + "... is out of range");
}

TEST(ParseDocuments, QuotesLittleOfWhatIsNoJson) {
  const std::string text = "{\"" + std::string(100'000, 'a') + "\\x\"}";
  EXPECT_EQ(document_error(text, DocumentFormat::kJson).message(),
            "f:1: not JSON at '..." + std::string(38, 'a') + "\\x'");
}

TEST(ParseDocuments, SaysOfJsonThatWasCutShortThatItEndsTooEarly) {
  const std::string whole = R"({"a": ["x", 1, true, {}]})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(document_error(whole.substr(0, length), DocumentFormat::kJson).message(),
              "f:1: not JSON, it ends too early")
        << length;
  }
  EXPECT_EQ(document_error("{\n\"a\": \"x\"\n", DocumentFormat::kJson).message(),
            "f:3: not JSON, it ends too early");
}

TEST(FindLine, FindsAValueByItsPath) {
  constexpr std::string_view kText =
      "a: 1\n---\nspec:\n  containers:\n  - name: x\n  - name: y\n  a: {b: 0}\n  a.b/c: 1\n";
  const auto yaml = parse_documents(kText, "f", DocumentFormat::kYaml);
  ASSERT_TRUE(yaml);
  ASSERT_EQ(yaml->size(), 2U);
  EXPECT_EQ(find_line(yaml->at(1), "spec.containers[1].name"), 6);
  EXPECT_EQ(find_line(yaml->at(1), "spec.containers"), 5);
  EXPECT_EQ(find_line(yaml->at(1), "spec.a.b/c"), 8) << "a key may contain dots";
  for (const char* path : {"spec.volumes", "spec.containers[2]", "spec.containers[", "spec[0]"}) {
    EXPECT_EQ(find_line(yaml->at(1), path), 3) << path << " is not there";
  }
  const auto listed = parse_documents("{\n\"a\": [\n1,\n2]}", "f", DocumentFormat::kJson);
  ASSERT_TRUE(listed);
  EXPECT_EQ(find_line(listed->at(0), "a[1]"), 4);
}

}  // namespace
}  // namespace evictd::cluster
