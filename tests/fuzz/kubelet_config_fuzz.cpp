// SPDX-License-Identifier: Apache-2.0
// A kubelet's file is taken as a whole or refused with one line that names it; what it makes of a
// configuration can be printed and read again as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/effective.h"
#include "config/kubelet_document.h"
#include "config/validator.h"

namespace {

using evictd::Result;

void check_message(const std::string& message) {
  if (!message.starts_with("fuzz.yaml") || message.find('\n') != std::string::npos) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<YamlNode> root = read_kubelet_document(text, "fuzz.yaml");
  if (!root) {
    check_message(root.error().message());
    return 0;
  }
  const Vocabulary vocabulary;
  Validator validator(vocabulary);
  Result<> read = validator.read_kubelet_file(*root, "fuzz.yaml").and_then([&] {
    return validator.merge_drop_in(*root, "fuzz.yaml");
  });
  validator.end_files();
  const Result<Config> config =
      read ? validator.finish("fuzz.yaml") : Result<Config>(tl::unexpected(read.error()));
  if (!config) {
    check_message(config.error().message());
    return 0;
  }
  const Result<Config> again = parse(effective_yaml(*config), "again.yaml");
  if (!again || !(*again == *config)) {
    std::abort();
  }
  return 0;
}
