// SPDX-License-Identifier: Apache-2.0
#include "config/sources.h"

#include <filesystem>

#include "config/drop_ins.h"
#include "config/file_text.h"
#include "config/kubelet_document.h"
#include "config/validator.h"
#include "config/yaml_tree.h"

namespace evictd::config {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_text_of(const fs::path& path) {
  return read_file(path, YamlLimits{}.bytes);
}

Result<> read_own(const std::string& file, Validator& validator) {
  const Result<std::string> text = read_text_of(file);
  if (!text) {
    return tl::unexpected(text.error());
  }
  const Result<YamlNode> root = parse_yaml(*text, file);
  return root ? validator.read_own(*root, file) : Result<>(tl::unexpected(root.error()));
}

Result<YamlNode> read_kubelet(const fs::path& file) {
  const Result<std::string> text = read_text_of(file);
  return text ? read_kubelet_document(*text, file.string())
              : Result<YamlNode>(tl::unexpected(text.error()));
}

Result<> read_drop_ins(const std::string& directory, Validator& validator) {
  const Result<std::vector<fs::path>> files = drop_in_files(directory);
  if (!files) {
    return tl::unexpected(files.error());
  }
  for (const fs::path& file : *files) {
    const Result<YamlNode> root = read_kubelet(file);
    if (!root) {
      return tl::unexpected(root.error());
    }
    if (Result<> merged = validator.merge_drop_in(*root, file.string()); !merged) {
      return merged;
    }
  }
  return {};
}

Result<> read_files(const Sources& sources, Validator& validator) {
  if (!sources.config_file.empty()) {
    if (Result<> read = read_own(sources.config_file, validator); !read) {
      return read;
    }
  }
  if (!sources.kubelet_config_file.empty()) {
    const Result<YamlNode> root = read_kubelet(sources.kubelet_config_file);
    if (!root) {
      return tl::unexpected(root.error());
    }
    if (Result<> read = validator.read_kubelet_file(*root, sources.kubelet_config_file); !read) {
      return read;
    }
  }
  return sources.kubelet_config_dir.empty() ? Result<>()
                                            : read_drop_ins(sources.kubelet_config_dir, validator);
}

Result<> read_all_flags(const Sources& sources, Validator& validator) {
  const Result<std::vector<FlagValue>> flags = read_flags(sources.flags);
  if (!flags) {
    return tl::unexpected(flags.error());
  }
  for (const FlagValue& flag : *flags) {
    if (Result<> read = validator.read_flag(flag); !read) {
      return read;
    }
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
  if (const Result<> read = read_files(sources, validator); !read) {
    return tl::unexpected(read.error());
  }
  validator.end_files();
  if (const Result<> read = read_all_flags(sources, validator); !read) {
    return tl::unexpected(read.error());
  }
  return validator.finish(sources.has_files() ? to_string(sources) : "configuration");
}

}  // namespace evictd::config
