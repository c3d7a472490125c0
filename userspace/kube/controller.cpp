// SPDX-License-Identifier: Apache-2.0
#include "kube/controller.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_members.h"
#include "kube/actions/names.h"
#include "kube/pod_document.h"

namespace evictd::kube {

namespace {

using base::is_true_at;
using base::list_at;
using base::text_at;
using Json = nlohmann::json;

/// Checks a kind, or a group with its version.
bool is_word(std::string_view text, std::string_view more) {
  constexpr std::size_t kLongest = 253;
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (const char c : text) {
    if (kLetters.find(c) == std::string_view::npos && more.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return !text.empty() && text.size() <= kLongest;
}

bool is_usable(const Controller& controller) {
  return is_word(controller.api_version, "./-") && is_word(controller.kind, "") &&
         is_object_name(controller.ns) && is_object_name(controller.name) &&
         is_file_name(controller.uid);
}

}  // namespace

std::optional<Controller> controller_of(const Json& pod) {
  for (const Json& owner : list_at(pod, "metadata", "ownerReferences")) {
    if (!is_true_at(owner, "controller")) {
      continue;
    }
    Controller controller{.api_version = text_at(owner, "apiVersion"),
                          .kind = text_at(owner, "kind"),
                          .ns = text_at(pod, "metadata", "namespace"),
                          .name = text_at(owner, "name"),
                          .uid = text_at(owner, "uid")};
    const bool is_taken = is_usable(controller) && controller.kind != "Node";
    return is_taken ? std::optional(std::move(controller)) : std::nullopt;
  }
  return std::nullopt;
}

Json to_json(const Controller& controller) {
  return {{"api_version", controller.api_version},
          {"kind", controller.kind},
          {"namespace", controller.ns},
          {"name", controller.name},
          {"uid", controller.uid}};
}

Result<Controller> controller_from_json(const Json& json) {
  if (!json.is_object()) {
    return fail(Errc::kMalformed, "not a controller");
  }
  Controller controller{.api_version = text_at(json, "api_version"),
                        .kind = text_at(json, "kind"),
                        .ns = text_at(json, "namespace"),
                        .name = text_at(json, "name"),
                        .uid = text_at(json, "uid")};
  return is_usable(controller)
             ? Result<Controller>(std::move(controller))
             : fail(Errc::kMalformed, "a controller with a name that is not valid in the API");
}

}  // namespace evictd::kube
