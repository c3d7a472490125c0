// SPDX-License-Identifier: Apache-2.0
// What a kubelet would have said of a decision, in a record.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/record_builder.h"
#include "eviction/ranking.h"

namespace evictd::daemon {

/// The message and the annotations of a victim of node pressure; `place` is that of the threshold
/// acted on. Needs the pass's copy and the victim as the sources know it.
void add_texts(exporting::EvictionRecord& record, const PassDone& done, std::size_t place,
               const RecordContext& context);

/// A rule that passes a pod over whatever the others are, in words.
[[nodiscard]] std::string_view reason_text(eviction::PassOver rule);

/// The event and the condition of a victim, whose message is in the record already.
void tell_of_victim(exporting::EvictionRecord& record, bool node_pressure);

/// The event on the node: posted whenever a pass acts on a threshold, whether or not somebody goes,
/// and once where it waits for collectors in between. `place` as above.
void tell_of_threshold(exporting::EvictionRecord& record, const PassDone& done, std::size_t place,
                       const RecordContext& context);

/// What the log says of a step of an eviction; empty: nothing. A dry run ended nobody, so that
/// nothing is said of the end of one, but of a victim that a real run would have spared in the end.
[[nodiscard]] std::string step_text(const EvictionStep& step);

}  // namespace evictd::daemon
