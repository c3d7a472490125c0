// SPDX-License-Identifier: Apache-2.0
#include "kube/reclaim_command.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "base/json_text.h"
#include "base/unix_socket.h"
#include "cluster/cgroup_name.h"
#include "cri/endpoint.h"
#include "disk/filesystem_reading.h"
#include "evictd/try.h"
#include "kube/pod_document.h"

namespace evictd::kube {

namespace {

using base::member_at;
using base::text_at;
using Json = nlohmann::json;

/// Longer than any interval between pod lists.
constexpr std::chrono::minutes kConfirmationMaxAge{15};

Result<cri::RuntimeClient::Options> client_options(const KubeSettings& settings) {
  if (settings.runtime.endpoint == "none") {
    return fail(Errc::kInvalid,
                "runtime.endpoint: none: there is nothing to reclaim from; allowed: auto, or the "
                "socket of the container runtime");
  }
  return cri::RuntimeClient::Options{
      .channel = {.socket = cri::find_socket(settings.runtime.endpoint)}};
}

WallTime modified_at(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    return WallTime{};
  }
  return WallTime(std::chrono::seconds(status.st_mtim.tv_sec) +
                  std::chrono::nanoseconds(status.st_mtim.tv_nsec));
}

std::optional<Duration> milliseconds_in(const Json& image, const char* name) {
  const Json& number = member_at(image, name);
  return number.is_number_unsigned()
             ? std::optional<Duration>(std::chrono::milliseconds(number.get<std::int64_t>()))
             : std::nullopt;
}

Result<std::map<std::string, cri::ImageIdleness>> ask_idleness(const std::string& socket) {
  EVICTD_ASSIGN_OR_RETURN(const std::string answer,
                          EVICTD_IN("read the ages of images: is evictd-kube running?",
                                    base::request_line(socket, R"({"op":"status"})")));
  const Result<Json> status = base::parse_json<Json>(answer);
  const Json images = status ? member_at(*status, "runtime", "images") : Json();
  if (images.is_null()) {
    return fail(Errc::kMalformed,
                "read the ages of images: the evictd-kube at " + socket + " has no runtime");
  }
  std::map<std::string, cri::ImageIdleness> idleness;
  for (const Json& image : images) {
    const std::optional<Duration> known = milliseconds_in(image, "known_ms");
    if (known && member_at(image, "id").is_string()) {
      idleness[text_at(image, "id")] = {.known = *known,
                                        .unused = milliseconds_in(image, "unused_ms")};
    }
  }
  return idleness;
}

Result<cri::Space> read_space(const std::string& place, MonoTime now) {
  EVICTD_ASSIGN_OR_RETURN(const disk::FilesystemReading reading, disk::read_filesystem(place, now));
  return cri::Space{.available_bytes = reading.available_bytes,
                    .capacity_bytes = reading.capacity_bytes,
                    .inodes_free = reading.inodes_free,
                    .inodes = reading.inodes};
}

}  // namespace

cri::IsGone gone_by_manifests(const std::string& directory, WallTime now) {
  const bool is_confirmed = modified_at(directory + "/.confirmed") >= now - kConfirmationMaxAge;
  return [directory, is_confirmed](const std::string& uid) {
    std::error_code error;
    return is_confirmed && is_file_name(uid) && !cluster::is_static_uid(uid) &&
           !std::filesystem::exists(directory + "/" + uid + ".json", error) && !error;
  };
}

Result<cri::Reclaimed> reclaim_containers(const KubeSettings& settings, const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(const cri::RuntimeClient::Options options, client_options(settings));
  cri::RuntimeClient runtime(options);
  const WallTime now = clock.wall_now();
  return cri::reclaim_containers(runtime, settings.reclaim.containers,
                                 gone_by_manifests(settings.manifest_directory, now), now);
}

Result<cri::Reclaimed> reclaim_images(const KubeSettings& settings, const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(const cri::RuntimeClient::Options options, client_options(settings));
  EVICTD_ASSIGN_OR_RETURN(auto idleness, ask_idleness(settings.status_socket));
  cri::RuntimeClient runtime(options);
  return cri::reclaim_images(runtime, {.policy = settings.reclaim.images,
                                       .idleness = std::move(idleness),
                                       .read_space = [&clock](const std::string& place) {
                                         return read_space(place, clock.now());
                                       }});
}

std::string to_text(const cri::Reclaimed& sum) {
  std::string text = "removed " + std::to_string(sum.containers) + " containers, " +
                     std::to_string(sum.sandboxes) + " sandboxes and " +
                     std::to_string(sum.images) + " images of " + std::to_string(sum.image_bytes) +
                     " bytes";
  if (sum.failures != 0) {
    text += "; " + std::to_string(sum.failures) + " failed, the first: " + sum.first_failure;
  }
  return text;
}

}  // namespace evictd::kube
