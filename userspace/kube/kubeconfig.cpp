// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "config/file_text.h"
#include "config/value.h"
#include "config/yaml_tree.h"
#include "evictd/try.h"

namespace evictd::kube {

namespace {

using config::Value;
using config::YamlEntry;
using config::YamlNode;

/// Reads a kubeconfig and keeps the first error.
class KubeconfigReader {
 public:
  KubeconfigReader(const YamlNode& root, const std::filesystem::path& file)
      : root_(root), file_(file), name_(file.string()) {}

  Result<ServerAccess> access(const std::string& wanted) {
    const std::string context_name = wanted.empty() ? text(root_, "current-context", "") : wanted;
    const YamlNode* context = named("contexts", "context", context_name);
    const YamlNode* cluster =
        context == nullptr
            ? nullptr
            : named("clusters", "cluster", text(*context, "cluster", "context.cluster"));
    const YamlNode* user = cluster == nullptr
                               ? nullptr
                               : named("users", "user", text(*context, "user", "context.user"));
    if (user != nullptr) {
      read_cluster(*cluster);
      read_user(*user);
    }
    if (failure_) {
      return Failure(*failure_);
    }
    return access_;
  }

 private:
  void refuse(const Value& value, std::string_view reason, std::string_view allowed) {
    if (!failure_) {
      failure_ = value.refuse(reason, allowed).value();
    }
  }
  [[nodiscard]] Value value_at(const YamlEntry& entry, std::string key) const {
    return {.node = entry.value, .filename = name_, .key = std::move(key)};
  }

  /// Empty if the key is missing.
  std::string text(const YamlNode& map, const char* key, const std::string& path) {
    const YamlEntry* entry = entry_in(map, key);
    if (entry == nullptr || entry->value.kind == YamlNode::Kind::kNull) {
      return {};
    }
    if (entry->value.kind != YamlNode::Kind::kScalar) {
      refuse(value_at(*entry, path.empty() ? key : path), "no text", "text");
      return {};
    }
    return entry->value.text;
  }

  /// The entry with this name in one of the three lists.
  const YamlNode* named(const char* list, const char* member, const std::string& name) {
    const YamlEntry* all = entry_in(root_, list);
    if (all != nullptr) {
      for (const YamlNode& item : all->value.items) {
        const YamlEntry* found = entry_in(item, member);
        if (found != nullptr && text(item, "name", list) == name &&
            found->value.kind == YamlNode::Kind::kMap) {
          return &found->value;
        }
      }
    }
    if (!failure_) {
      failure_ = config::refuse({.filename = name_,
                                 .line = all == nullptr ? root_.line : all->line,
                                 .key = list,
                                 .shown = "\"" + name + "\"",
                                 .reason = "no such entry",
                                 .allowed = "the name of one of them"})
                     .value();
    }
    return nullptr;
  }

  std::string path(const YamlNode& map, const char* key, const std::string& key_path) {
    const std::string named_file = text(map, key, key_path);
    return named_file.empty() ? named_file : (file_.parent_path() / named_file).string();
  }

  std::string data(const YamlNode& map, const char* key, const std::string& key_path) {
    const std::string encoded = text(map, key, key_path);
    Result<std::string> decoded = decode_base64(encoded);
    if (!decoded) {
      YamlNode hidden;  // A private key must not be shown.
      refuse({.node = hidden, .filename = name_, .key = key_path}, "not base64", "base64");
      return {};
    }
    return std::move(*decoded);
  }

  void refuse_any(const YamlNode& map, const std::string& parent,
                  std::initializer_list<const char*> keys) {
    for (const char* const key : keys) {
      if (const YamlEntry* entry = entry_in(map, key)) {
        YamlNode hidden;
        hidden.line = entry->line;
        refuse({.node = hidden, .filename = name_, .key = parent + "." + key}, "not supported",
               "a token or a client certificate, and a server that is reached by its own name");
      }
    }
  }

  void read_cluster(const YamlNode& cluster) {
    refuse_any(cluster, "cluster", {"tls-server-name", "proxy-url"});
    access_.url = text(cluster, "server", "cluster.server");
    while (access_.url.ends_with('/')) {
      access_.url.pop_back();
    }
    if (const std::string problem = url_problem(access_.url); !problem.empty()) {
      const YamlEntry* server = entry_in(cluster, "server");
      YamlNode absent;
      absent.line = cluster.line;
      refuse({.node = server == nullptr ? absent : server->value,
              .filename = name_,
              .key = "cluster.server"},
             "not an address", problem);
    }
    access_.ca_file = path(cluster, "certificate-authority", "cluster.certificate-authority");
    access_.ca_data =
        data(cluster, "certificate-authority-data", "cluster.certificate-authority-data");
    if (const YamlEntry* skip = entry_in(cluster, "insecure-skip-tls-verify")) {
      const Result<bool> wanted =
          config::read_bool(value_at(*skip, "cluster.insecure-skip-tls-verify"));
      access_.insecure_skip_verify = wanted.value_or(false);
      if (!wanted && !failure_) {
        failure_ = wanted.error();
      }
    }
  }

  void read_user(const YamlNode& user) {
    refuse_any(user, "user", {"exec", "auth-provider", "username", "password", "as"});
    access_.token = text(user, "token", "user.token");
    access_.token_file = path(user, "tokenFile", "user.tokenFile");
    access_.certificate_file = path(user, "client-certificate", "user.client-certificate");
    access_.certificate_data =
        data(user, "client-certificate-data", "user.client-certificate-data");
    access_.key_file = path(user, "client-key", "user.client-key");
    access_.key_data = data(user, "client-key-data", "user.client-key-data");
  }

  const YamlNode& root_;
  const std::filesystem::path& file_;
  std::string name_;
  ServerAccess access_;
  std::optional<Error> failure_;
};

constexpr std::size_t kLongestKubeconfig = std::size_t{1} << 20U;

}  // namespace

Result<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kBitsOfDigit = 6;
  constexpr unsigned kBitsOfByte = 8;
  const auto is_space = [](char c) { return c == '\n' || c == '\r' || c == ' '; };
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [&](char c) { return !is_space(c); });
  while (digits.ends_with('=')) {
    digits.pop_back();
  }
  std::string decoded;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char digit : digits) {
    const std::size_t value = kAlphabet.find(digit);
    if (value == std::string_view::npos) {
      return fail(Errc::kMalformed, "not base64");
    }
    bits = (bits << kBitsOfDigit) | static_cast<std::uint32_t>(value);
    count += kBitsOfDigit;
    if (count >= kBitsOfByte) {
      count -= kBitsOfByte;
      decoded.push_back(static_cast<char>((bits >> count) & 0xffU));
    }
  }
  return count >= kBitsOfDigit ? Result<std::string>(fail(Errc::kMalformed, "not base64"))
                               : Result<std::string>(std::move(decoded));
}

Result<ServerAccess> access_of_kubeconfig(std::string_view text, const std::filesystem::path& file,
                                          const std::string& context) {
  EVICTD_ASSIGN_OR_RETURN(const YamlNode root,
                          config::parse_yaml(text, file.string(), {.bytes = kLongestKubeconfig}));
  const std::string name = file.string();
  EVICTD_TRY(config::expect_map({.node = root, .filename = name, .key = "kubeconfig"},
                                "a mapping with clusters, users and contexts"));
  return KubeconfigReader(root, file).access(context);
}

Result<ServerAccess> read_kubeconfig(const std::filesystem::path& file,
                                     const std::string& context) {
  const Result<std::string> text = config::read_file(file, kLongestKubeconfig);
  return text ? access_of_kubeconfig(*text, file, context) : Failure(text.error());
}

Result<ServerAccess> access_in_cluster(const InCluster& cluster) {
  const std::string host = cluster.environment("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = cluster.environment("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty()) {
    return fail(Errc::kInvalid,
                "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not in the environment: "
                "not inside a cluster");
  }
  ServerAccess access;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  access.url = "https://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
  if (const std::string problem = url_problem(access.url); !problem.empty()) {
    return fail(Errc::kInvalid, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " +
                                    access.url + ": not an address; allowed: " + problem);
  }
  access.ca_file = cluster.directory + "/ca.crt";
  access.token_file = cluster.directory + "/token";
  return access;
}

}  // namespace evictd::kube
