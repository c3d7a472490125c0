// SPDX-License-Identifier: Apache-2.0
// Any text is a kubeconfig or evictd-kube's configuration with an address that is one, or an error
// of one line that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/kube_config.h"
#include "kube/kubeconfig.h"

namespace {

void check(const evictd::Error& error) {
  if (!std::string_view(error.context).starts_with("/file") ||
      error.context.find('\n') != std::string::npos) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::kube;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto access = access_of_kubeconfig(text, "/file", ""); !access) {
    check(access.error());
  } else if (!url_problem(access->url).empty()) {
    std::abort();
  }
  if (const auto settings = parse_kube_config(text, "/file"); !settings) {
    check(settings.error());
  }
  return 0;
}
