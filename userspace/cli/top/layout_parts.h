// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/top/layout.h"

namespace evictd::cli::top {

/// The top of the screen: title, node state, and trouble if there is any.
void add_head(const Scene& scene, std::size_t width, const View& view, Screen& screen);

/// The heading and at most `most` thresholds; if there are more, the nearest ones.
void add_signals(const Scene& scene, std::size_t width, std::size_t most, Screen& screen);

/// The heading and at most `size.height` pods.
void add_pods(const Scene& scene, Size size, View& view, Screen& screen);

/// The selected pod's data and events, down to the height of `size`.
void add_detail(const Scene& scene, Size size, const View& view, Screen& screen);
/// The keys, likewise.
void add_help(const Scene& scene, Size size, Screen& screen);

/// The heading and the last events, in at most `size.height` lines.
void add_events(const Scene& scene, Size size, Screen& screen);

/// The last line: the keys, or the filter being edited.
[[nodiscard]] Row keys_row(const Scene& scene, std::size_t width, const View& view);

/// Adds empty rows up to `height`.
void fill_to(std::size_t height, Screen& screen);

/// An event in one line.
[[nodiscard]] Row event_row(const EventLine& event, std::size_t width, Charset charset);

/// "63.9Mi", "-" if unknown.
[[nodiscard]] std::string bytes_or_dash(const std::optional<std::int64_t>& bytes);
[[nodiscard]] std::string count_or_dash(const std::optional<std::int64_t>& count);

}  // namespace evictd::cli::top
