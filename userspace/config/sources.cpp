// SPDX-License-Identifier: Apache-2.0
#include "config/sources.h"

#include <filesystem>

#include "config/drop_ins.h"
#include "config/file_text.h"
#include "config/kubelet_document.h"
#include "config/validator.h"
#include "config/yaml_tree.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_text_of(const fs::path& path) {
  return read_file(path, YamlLimits{}.bytes);
}

Result<> read_own(const std::string& file, Validator& validator) {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, read_text_of(file));
  const Result<YamlNode> root = parse_yaml(text, file);
  return root ? validator.read_own(*root, file) : Result<>(tl::unexpected(root.error()));
}

Result<YamlNode> read_kubelet(const fs::path& file) {
  const Result<std::string> text = read_text_of(file);
  return text ? read_kubelet_document(*text, file.string())
              : Result<YamlNode>(tl::unexpected(text.error()));
}

Result<> read_drop_ins(const std::string& directory, Validator& validator) {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<fs::path> files, drop_in_files(directory));
  for (const fs::path& file : files) {
    EVICTD_ASSIGN_OR_RETURN(const YamlNode root, read_kubelet(file));
    EVICTD_TRY(validator.merge_drop_in(root, file.string()));
  }
  return {};
}

Result<> read_files(const Sources& sources, Validator& validator) {
  if (!sources.config_file.empty()) {
    EVICTD_TRY(read_own(sources.config_file, validator));
  }
  if (!sources.kubelet_config_file.empty()) {
    EVICTD_ASSIGN_OR_RETURN(const YamlNode root, read_kubelet(sources.kubelet_config_file));
    EVICTD_TRY(validator.read_kubelet_file(root, sources.kubelet_config_file));
  }
  return sources.kubelet_config_dir.empty() ? Result<>()
                                            : read_drop_ins(sources.kubelet_config_dir, validator);
}

Result<> read_all_flags(const Sources& sources, Validator& validator) {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<FlagValue> flags, read_flags(sources.flags));
  for (const FlagValue& flag : flags) {
    EVICTD_TRY(validator.read_flag(flag));
  }
  return {};
}

}  // namespace

std::string to_string(const Sources& sources) {
  std::string text;
  for (const std::string& file :
       {sources.config_file, sources.kubelet_config_file, sources.kubelet_config_dir}) {
    text += text.empty() || file.empty() ? file : ", " + file;
  }
  return text;
}

Result<Config> load(const Sources& sources, const Vocabulary& vocabulary) {
  Validator validator(vocabulary);
  EVICTD_TRY(read_files(sources, validator));
  validator.end_files();
  EVICTD_TRY(read_all_flags(sources, validator));
  return validator.finish(sources.has_files() ? to_string(sources) : "configuration");
}

}  // namespace evictd::config
