// SPDX-License-Identifier: Apache-2.0
#include "daemon/configuration.h"

#include <string>

#include "notify/loader.h"
#include "probe/attach_table.h"

namespace evictd::daemon {

Result<config::Config> load_config(const config::Sources& sources) {
  config::Vocabulary vocabulary;
  for (const probe::AttachRow& row : probe::attach_table()) {
    vocabulary.attach_rows[std::string(probe::to_string(row.purpose))].emplace_back(row.name);
  }
  for (const notify::AttachRow& row : notify::attach_rows()) {
    vocabulary.attach_rows[std::string(notify::kPurpose)].emplace_back(row.name);
  }
  return config::load(sources, vocabulary);
}

void log_warnings(const config::Config& config, base::Log& log) {
  for (const config::Warning& warning : config.warnings()) {
    log.warn(warning.text + ", continuing with the configuration as it is");
  }
}

}  // namespace evictd::daemon
