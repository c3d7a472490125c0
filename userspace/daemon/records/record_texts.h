// SPDX-License-Identifier: Apache-2.0
// What a kubelet would have said of a decision, in a record.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/records/record_builder.h"
#include "eviction/ranking.h"

namespace evictd::daemon {

/// Adds the message and the annotations of a victim of node pressure; `place` is the index of the
/// threshold acted on. Needs the pass's copy and the victim's description from the sources.
void add_texts(exporting::EvictionRecord& record, const PassDone& done, std::size_t place,
               const RecordContext& context);

/// The text of a rule that passes a pod over, whatever the other pods are.
[[nodiscard]] std::string_view reason_text(eviction::PassOver rule);

/// Adds the event and the condition of a victim; the record has the message already.
void add_victim_event(exporting::EvictionRecord& record, bool node_pressure);

/// Adds the event on the node. It is posted if a pass acts on a threshold, whether or not a pod is
/// evicted, and only once if the pass waits for collectors in between. `place` as above.
void add_threshold_event(exporting::EvictionRecord& record, const PassDone& done, std::size_t place,
                         const RecordContext& context);

/// The log text of a step of an eviction; empty: no log entry. A dry run kills no pod, so the end
/// of a pod has no text. A victim that a real run would have spared in the end has one.
[[nodiscard]] std::string step_text(const EvictionStep& step);

}  // namespace evictd::daemon
