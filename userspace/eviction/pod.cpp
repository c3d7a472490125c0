// SPDX-License-Identifier: Apache-2.0
#include "eviction/pod.h"

namespace evictd::eviction {

std::string_view to_string(QosClass qos) {
  switch (qos) {
    case QosClass::kGuaranteed:
      return "Guaranteed";
    case QosClass::kBurstable:
      return "Burstable";
    case QosClass::kBestEffort:
      return "BestEffort";
    case QosClass::kOther:
      return "Other";
  }
  return "";
}

}  // namespace evictd::eviction
