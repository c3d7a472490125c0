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

/// What the kubelet's drop-in files are laid over.
struct BeforeDropIns {
  Settings settings;
  Origins origins;
  std::optional<Origin> merge_default_hard;
};

/// Turns the trees of files, and flags, into a Config: reads each key, fills in the defaults of the
/// compatibility, refuses contradictions and collects warnings. Given its sources weakest first,
/// and used once.
class Validator {
 public:
  explicit Validator(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// evictd's own file.
  Result<> read_own(const YamlNode& root, std::string_view filename);
  /// A document of read_kubelet_document(). What it says of a key replaces what was said before;
  /// fields without a meaning here are noted.
  Result<> read_kubelet_file(const YamlNode& root, std::string_view filename);
  /// Another such document, laid over the file: a mapping entry by entry, a list as a whole. Null
  /// takes back what drop-ins before this one said: what stood before the first of them holds
  /// again.
  Result<> merge_drop_in(const YamlNode& root, std::string_view filename);
  /// All files were read: adds the defaults that mergeDefaultEvictionSettings asks for.
  void end_files();
  Result<> read_flag(const FlagValue& flag);
  /// `name` stands in errors for a setting that nobody gave.
  [[nodiscard]] Result<Config> finish(std::string_view name);

 private:
  /// The version chooses by which rules the rest is read, wherever in the file it stands.
  Result<> read_compatibility(const YamlNode& root);
  Result<> read_group(const YamlNode& map, const std::string& group);
  Result<> read_entry(const YamlEntry& entry, const std::string& group);
  [[nodiscard]] Failure refuse_unknown(const YamlEntry& entry, const std::string& group) const;
  void note_origin(const std::string& key, const YamlEntry& entry);
  void fill_in_defaults();
  Result<> check_attach_pins() const;

  /// Handles what of a kubelet's document is no plain key; false if `entry` is one.
  bool take_special(const YamlEntry& entry);
  Result<> replace(const Key& key, YamlEntry entry, const Origin& origin);
  /// Of each name that a list of the kubelet's sources has more than once, where it may.
  void warn_of_repeats(const YamlEntry& list, const Origin& origin);
  Result<> merge(const Key& key, const YamlEntry& entry);
  void remember_before_drop_ins();
  /// A whole key, or one entry of a mapping.
  void take_back(const Key& key);
  void take_back(const Key& key, const std::string& member);
  /// A soft grace period of the kubelet's sources that has no soft threshold stands for nothing, as
  /// with the kubelet: it is left out, with a warning.
  void leave_out_lone_graces();
  void forget_origins(const std::string& key);
  [[nodiscard]] Origin here(int line) const;

  [[nodiscard]] bool is_own(const Origin& origin) const;

  std::string_view filename_;
  /// evictd's own file, as it was named; empty if there is none.
  std::string own_file_;
  const Vocabulary& vocabulary_;
  /// Where it was said that missing defaults are added; unset if they are not.
  std::optional<Origin> merge_default_hard_;
  Config config_;

  /// Unset before the first of them.
  std::optional<BeforeDropIns> before_drop_ins_;
};

/// Whether an entry was given as `null`, which in one of the kubelet's sources means not given.
[[nodiscard]] inline bool is_null(const YamlEntry& entry) {
  return entry.value.kind == YamlNode::Kind::kNull;
}

}  // namespace evictd::config
