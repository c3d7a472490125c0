// SPDX-License-Identifier: Apache-2.0
#include "config/effective.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "config/keys.h"
#include "parsed.h"

namespace evictd::config {
namespace {

constexpr std::string_view kUnusual = R"(
hardEvictionGracePeriodSeconds: 0
hardEvictionFloor: 12.5%
evictionHard: {memory.available: 1Gi, nodefs.available: "007%"}
evictionSoft: {memory.available: 2Gi}
evictionSoftGracePeriod: {memory.available: 1h2m3.5s}
evictionMinimumReclaim: {}
enforceNodeAllocatable: []
podGlobs:
  - {glob: "/a b/\"*\"/#x", name: "é: y", priority: -1, memoryRequest: 1e3}
nodeName: "#1"
attachPins: {memory-charge: tp_btf}
sweep: {floor: 1234us, rateUp: 123456789}
)";

TEST(EffectiveConfig, ParsesToAnEqualConfig) {
  for (const std::string_view text : {std::string_view(""), kUnusual}) {
    const Config config = parsed(text);
    const std::string yaml = effective_yaml(config);
    EXPECT_EQ(parsed(yaml), config) << yaml;
  }
}

TEST(EffectiveConfig, TheSettingsOfTheJsonParseToAnEqualConfig) {
  const Config config = parsed(kUnusual);
  nlohmann::json settings = nlohmann::json::parse(effective_json(config))["settings"];
  for (auto it = settings.begin(); it != settings.end();) {
    it = it->is_null() ? settings.erase(it) : std::next(it);
  }
  EXPECT_EQ(parsed(settings.dump()), config);
}

TEST(EffectiveConfig, SaysForEachValueWhereItCameFrom) {
  const std::string yaml = effective_yaml(parsed("dryRun: true\nlog:\n  level: warn\n"));
  for (const std::string_view line :
       {"dryRun: true  # evictd.yaml:1\n", "evictionHard:\n",
        "  memory.available: \"100Mi\"  # default of compatibility 1.32\n",
        "evictionSoft: {}  # default\n", "  - \"pods\"  # default\n", "log:\n",
        "  format: \"text\"  # default\n", "  level: \"warn\"  # evictd.yaml:3\n",
        "# hardEvictionGracePeriodSeconds: unset\n"}) {
    EXPECT_NE(yaml.find(line), std::string::npos) << line << "not in\n" << yaml;
  }
}

TEST(EffectiveConfig, TheJsonHasOriginsAndWarnings) {
  const auto json = nlohmann::json::parse(effective_json(parsed("dryRun: true")));
  EXPECT_EQ(json["settings"]["dryRun"], true);
  EXPECT_EQ(json["settings"]["sweep"]["floor"], "20us");
  EXPECT_EQ(json["origins"]["dryRun"], "evictd.yaml:1");
  EXPECT_EQ(json["origins"]["sweep.floor"], "default");
  EXPECT_EQ(json["origins"]["evictionHard[memory.available]"], "default of compatibility 1.32");
  EXPECT_EQ(json["warnings"][0]["key"], "evictUnknownPods");
}

TEST(EffectiveConfig, EveryKeyIsDocumentedWithItsDefault) {
  std::ostringstream text;
  text << std::ifstream(EVICTD_DOCS "/configuration.md").rdbuf();
  const std::string docs = text.str();
  const Config defaults = Config::defaults();
  for (const Key& key : all_keys()) {
    const nlohmann::ordered_json value = key.write(defaults.settings());
    const std::string row = "| `" + key.name + "` | ";
    const std::size_t at = docs.find(row);
    ASSERT_NE(at, std::string::npos) << key.name;
    const std::string line = docs.substr(at, docs.find('\n', at) - at);
    EXPECT_NE(line.find(key.effect == Effect::kReload ? "| reload |" : "| restart |"),
              std::string::npos)
        << line;
    if (value.is_primitive() && !value.is_null()) {
      const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
      EXPECT_NE(line.find("| `" + shown + "` |"), std::string::npos) << line << " " << shown;
    }
  }
}

}  // namespace
}  // namespace evictd::config
