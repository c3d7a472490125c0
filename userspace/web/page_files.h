// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace evictd::web {

/// One file of the page, compiled into the program.
struct PageFile {
  const char* path;  ///< URL path.
  const char* type;  ///< Media type.
  std::string_view text;
};

/// Every file of the page and the description of the API. The build generates them from page/.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace evictd::web
