// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/sources.h"
#include "support/fake_tree.h"

namespace evictd::config::test {

/// A KubeletConfiguration of the given fields.
inline std::string kubelet(std::string_view fields) {
  return "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" +
         std::string(fields);
}

/// Files that stand for the sources of one configuration. Lines of a field begin at 3.
class KubeletSources {
 public:
  KubeletSources& own(std::string_view text) {
    tree_.write("/evictd.yaml", text);
    sources_.config_file = tree_.real("/evictd.yaml");
    return *this;
  }
  KubeletSources& file(std::string_view fields) { return raw_file(kubelet(fields)); }
  KubeletSources& raw_file(std::string_view text) {
    tree_.write("/kubelet.yaml", text);
    sources_.kubelet_config_file = tree_.real("/kubelet.yaml");
    return *this;
  }
  KubeletSources& drop_in(const std::string& name, std::string_view fields) {
    return raw_drop_in(name, kubelet(fields));
  }
  KubeletSources& raw_drop_in(const std::string& name, std::string_view text) {
    tree_.write("/kubelet.d/" + name, text);
    sources_.kubelet_config_dir = tree_.real("/kubelet.d");
    return *this;
  }
  KubeletSources& flags(const std::vector<std::string>& arguments) {
    Result<FlagSplit> split = split_flags(arguments);
    EXPECT_TRUE(split.has_value()) << split.error().message();
    EXPECT_TRUE(split->rest.empty()) << split->rest.front();
    sources_.flags = std::move(split->flags);
    return *this;
  }

  [[nodiscard]] Result<Config> load() const { return config::load(sources_); }
  [[nodiscard]] Config config() const {
    Result<Config> loaded = load();
    EXPECT_TRUE(loaded.has_value()) << loaded.error().message();
    return loaded.value_or(Config::defaults());
  }
  /// The error, without the directory that the files are in; empty if there is none.
  [[nodiscard]] std::string error() const {
    const Result<Config> loaded = load();
    return loaded ? "" : without_directory(loaded.error().message());
  }
  /// Where the value of `key` came from.
  [[nodiscard]] std::string origin(std::string_view key) const {
    return without_directory(to_string(config().origin(key)));
  }
  [[nodiscard]] std::string without_directory(std::string text) const {
    const std::string prefix = tree_.path() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }
  [[nodiscard]] const evictd::test::FakeTree& tree() const { return tree_; }

 private:
  evictd::test::FakeTree tree_;
  Sources sources_;
};

/// The warnings whose key begins with `key`, without the directory that the files are in.
inline std::vector<std::string> texts_about(std::string_view key, const KubeletSources& sources) {
  std::vector<std::string> texts;
  const Config config = sources.config();
  for (const Warning& warning : config.warnings()) {
    if (warning.key.starts_with(key)) {
      texts.push_back(sources.without_directory(warning.text));
    }
  }
  return texts;
}

}  // namespace evictd::config::test
