// SPDX-License-Identifier: Apache-2.0
// Each line is one argument. The kubelet's flags are taken out and all others left as they were;
// what the flags say makes a configuration, or one line that names a flag.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "config/effective.h"
#include "config/kubelet_flags.h"
#include "config/sources.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::config;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    arguments.emplace_back(line);
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  }
  const auto split = split_flags(arguments);
  if (!split) {
    return 0;
  }
  if (split->rest.size() + split->flags.size() > arguments.size()) {
    std::abort();
  }
  Sources sources;
  sources.flags = split->flags;
  const auto config = load(sources);
  if (!config) {
    const std::string message = config.error().message();
    if (!message.starts_with("flag --") || message.find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  const auto again = parse(effective_yaml(*config), "again.yaml");
  if (!again || !(*again == *config)) {
    std::abort();
  }
  return 0;
}
