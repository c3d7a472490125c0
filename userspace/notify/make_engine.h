// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "notify/engine.h"
#include "notify/loader.h"

namespace evictd::notify {

struct EngineOptions {
  LoadOptions kernel{};
  /// Falls back to reading files if no kernel program can be loaded; if false, that is an error.
  bool may_poll = true;
};

/// An Engine, and why it has its backend.
struct MadeEngine {
  std::unique_ptr<Engine> engine;
  /// Why it reads files; empty with the kernel's hooks.
  std::string polls_because;
  /// Rows of the ladder, for doctor.
  std::vector<probe::RowReport> rows;
};

/// Creates an Engine with the best backend of this machine. LoadOptions::pin "none" goes straight
/// to files.
/// Errors: kUnsupported without kernel programs unless `may_poll`; else as Engine::create().
[[nodiscard]] Result<MadeEngine> make_engine(const EngineOptions& options,
                                             const core::Clock& clock);

}  // namespace evictd::notify
