// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::cli::top {

/// The locale of a terminal of UTF-8, as a user of evictctl has it: cells are counted by it.
void use_utf8_locale();

}  // namespace evictd::cli::top
