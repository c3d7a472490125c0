// SPDX-License-Identifier: Apache-2.0
#include "config/brake_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "evictd/try.h"

namespace evictd::config {
namespace {

constexpr std::string_view kAlphanumeric =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Limits of a DNS label, of the parts of a label's name and value, and of its prefix. Source: the
/// syntax of object names and labels in the documentation of Kubernetes.
constexpr std::size_t kLongestName = 63;
constexpr std::size_t kLongestPrefix = 253;

constexpr std::string_view kAllowedNamespaces =
    "a list of namespaces such as [kube-system], each once";
constexpr std::string_view kAllowedLabels =
    "a list of \"KEY\" or \"KEY=VALUE\" such as [app=database], each once";

/// Characters of `inner` other than letters and digits may not be at the ends.
bool is_name(std::string_view text, std::string_view inner, std::size_t longest) {
  const auto allowed = [&](char c) {
    return kAlphanumeric.find(c) != std::string_view::npos ||
           inner.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), allowed) &&
         kAlphanumeric.find(text.front()) != std::string_view::npos &&
         kAlphanumeric.find(text.back()) != std::string_view::npos;
}

bool is_namespace(std::string_view text) {
  return is_name(text, "-", kLongestName) &&
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return is_name(text, "-_.", kLongestName);
  }
  return is_name(text.substr(0, slash), "-.", kLongestPrefix) &&
         is_name(text.substr(slash + 1), "-_.", kLongestName);
}

/// Reads a list of texts without duplicates, each accepted by `is_good`.
template <typename IsGood>
Result<std::vector<std::string>> read_texts(const Value& value, std::string_view reason,
                                            std::string_view allowed, IsGood is_good) {
  EVICTD_TRY(expect_list(value, allowed));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.node.items.size(); ++i) {
    const Value item = item_of(value, i);
    const std::string& text = item.node.text;
    if (item.node.kind != YamlNode::Kind::kScalar || !is_good(text)) {
      return item.refuse(reason, allowed);
    }
    if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
      return item.refuse("given twice", allowed);
    }
    texts.push_back(text);
  }
  return texts;
}

LabelRule rule_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return {.key = std::string(text), .value = {}, .any_value = true};
  }
  return {.key = std::string(text.substr(0, equals)),
          .value = std::string(text.substr(equals + 1)),
          .any_value = false};
}

bool is_label_rule(std::string_view text) {
  const LabelRule rule = rule_of(text);
  return is_label_key(rule.key) && (rule.value.empty() || is_name(rule.value, "-_.", kLongestName));
}

}  // namespace

Result<std::vector<std::string>> read_namespaces(const Value& value) {
  return read_texts(value, "not a namespace name", kAllowedNamespaces, is_namespace);
}

Result<std::vector<LabelRule>> read_label_rules(const Value& value) {
  return read_texts(value, "no label", kAllowedLabels, is_label_rule)
      .map([](const std::vector<std::string>& texts) {
        std::vector<LabelRule> rules;
        rules.reserve(texts.size());
        for (const std::string& text : texts) {
          rules.push_back(rule_of(text));
        }
        return rules;
      });
}

nlohmann::ordered_json write_label_rules(const std::vector<LabelRule>& rules) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LabelRule& rule : rules) {
    list.push_back(rule.any_value ? rule.key : rule.key + "=" + rule.value);
  }
  return list;
}

}  // namespace evictd::config
