// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/kubelet_flags.h"
#include "config/value.h"
#include "config/yaml_tree.h"

namespace evictd::config {

struct Key;

/// The values before the kubelet's drop-in files are merged.
struct BeforeDropIns {
  Settings settings;
  Origins origins;
  std::optional<Origin> merge_default_hard;
};

/// Builds a Config from the trees of files and from flags. It reads each key, fills in the defaults
/// of the compatibility, refuses contradictions and collects warnings. The caller passes the
/// sources weakest first and uses each object once.
class Validator {
 public:
  explicit Validator(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// Reads evictd's own file.
  Result<> read_own(const YamlNode& root, std::string_view filename);
  /// Reads a document of read_kubelet_document(). Its keys replace earlier values. Fields that
  /// evictd ignores are recorded.
  Result<> read_kubelet_file(const YamlNode& root, std::string_view filename);
  /// Merges another such document into the file: a mapping entry by entry, a list as a whole. Null
  /// takes back what earlier drop-ins set: the value before the first drop-in applies again.
  Result<> merge_drop_in(const YamlNode& root, std::string_view filename);
  /// Ends the files: adds the defaults that mergeDefaultEvictionSettings asks for.
  void end_files();
  Result<> read_flag(const FlagValue& flag);
  /// Errors use `name` for a setting that no source gave.
  [[nodiscard]] Result<Config> finish(std::string_view name);

 private:
  /// The version selects the rules for the rest of the file, wherever in the file it stands.
  Result<> read_compatibility(const YamlNode& root);
  Result<> read_group(const YamlNode& map, const std::string& group);
  Result<> read_entry(const YamlEntry& entry, const std::string& group);
  [[nodiscard]] Failure refuse_unknown(const YamlEntry& entry, const std::string& group) const;
  void set_origin(const std::string& key, const YamlEntry& entry);
  void fill_in_defaults();
  Result<> check_attach_pins() const;

  /// Handles entries of a kubelet's document that are not plain keys; false if `entry` is a plain
  /// key.
  bool read_special_entry(const YamlEntry& entry);
  Result<> replace(const Key& key, YamlEntry entry, const Origin& origin);
  /// Warns of each duplicate name in a list of the kubelet's sources, where duplicates are allowed.
  void warn_of_repeats(const YamlEntry& list, const Origin& origin);
  Result<> merge(const Key& key, const YamlEntry& entry);
  void remember_before_drop_ins();
  /// Takes back a whole key, or one entry of a mapping.
  void revert(const Key& key);
  void revert(const Key& key, const std::string& member);
  /// Drops, with a warning, a soft grace period of the kubelet's sources that has no soft
  /// threshold. The kubelet ignores it too.
  void leave_out_lone_graces();
  void forget_origins(const std::string& key);
  [[nodiscard]] Origin here(int line) const;

  [[nodiscard]] bool is_own(const Origin& origin) const;

  std::string_view filename_;
  /// The name of evictd's own file as given; empty if there is none.
  std::string own_file_;
  const Vocabulary& vocabulary_;
  /// Where the option to add missing defaults was set; unset if it is off.
  std::optional<Origin> merge_default_hard_;
  Config config_;

  /// Unset before the first drop-in.
  std::optional<BeforeDropIns> before_drop_ins_;
};

/// Whether an entry is `null`, which means "not given" in the kubelet's sources.
[[nodiscard]] inline bool is_null(const YamlEntry& entry) {
  return entry.value.kind == YamlNode::Kind::kNull;
}

}  // namespace evictd::config
