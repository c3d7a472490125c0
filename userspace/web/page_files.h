// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace evictd::web {

/// One file of the page, part of the program.
struct PageFile {
  const char* path;  ///< Where it is served.
  const char* type;  ///< Its media type.
  std::string_view text;
};

/// Every file of the page and the description of the API. The build makes them of page/.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace evictd::web
