// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "config/config.h"
#include "config/value.h"
#include "config/yaml_tree.h"

namespace evictd::config {

/// Turns the tree of one file into a Config: reads each key, fills in the defaults of the
/// compatibility, refuses contradictions and collects warnings. Used once.
class Validator {
 public:
  Validator(std::string_view filename, const Vocabulary& vocabulary)
      : filename_(filename), vocabulary_(vocabulary) {}

  [[nodiscard]] Result<Config> run(const YamlNode& root);

 private:
  /// The version chooses by which rules the rest is read, wherever in the file it stands.
  Result<> read_compatibility(const YamlNode& root);
  Result<> read_group(const YamlNode& map, const std::string& group);
  Result<> read_entry(const YamlEntry& entry, const std::string& group);
  [[nodiscard]] Failure refuse_unknown(const YamlEntry& entry, const std::string& group) const;
  void note_origin(const std::string& key, const YamlEntry& entry);
  void fill_in_defaults();
  Result<> check_attach_pins() const;

  std::string_view filename_;
  const Vocabulary& vocabulary_;
  Config config_;
};

}  // namespace evictd::config
