// SPDX-License-Identifier: Apache-2.0
// Any text gives manifests that name a cgroup, or an error that names file and line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cluster/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::cluster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const DocumentFormat format : {DocumentFormat::kYaml, DocumentFormat::kJson}) {
    const auto manifests = parse_manifests(text, "file", format, ManifestKind::kPods);
    if (!manifests) {
      const std::string_view message = manifests.error().context;
      if (!message.starts_with("file:") || message.find(": ") == std::string_view::npos ||
          message.substr(5, 1).find_first_of("123456789") != 0) {
        std::abort();
      }
      continue;
    }
    for (const Manifest& manifest : *manifests) {
      if (manifest.cgroup_uid.empty() || !manifest.origin.starts_with("file:")) {
        std::abort();
      }
    }
  }
  return 0;
}
