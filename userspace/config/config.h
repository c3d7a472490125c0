// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "evictd/result.h"
#include "eviction/threshold.h"

namespace evictd::config {

/// Where an effective value came from.
struct Origin {
  enum class Kind {
    kDefault,  ///< evictd's own default.
    kCompat,   ///< The default of the kubelet version in compatibility mode; `source` is "1.32" or
               ///< "1.26".
    kFile,     ///< `source` is the file name as given, `line` counts from 1.
    kFlag,     ///< `source` is the flag with its dashes.
  };
  Kind kind = Kind::kDefault;
  std::string source;
  int line = 0;

  bool operator==(const Origin&) const = default;
};

/// "default", "default of compatibility 1.32", "/etc/evictd.yaml:3" or "flag --eviction-hard".
[[nodiscard]] std::string to_string(const Origin& origin);

/// A setting that is allowed but cannot be intended. One line of text, with file and line if known.
struct Warning {
  /// Dotted key, as in docs/configuration.md.
  std::string key;
  std::string text;

  bool operator==(const Warning&) const = default;
};

/// A kubelet field or flag that was given and that evictd ignores.
struct Ignored {
  std::string key;
  Origin origin;

  bool operator==(const Ignored&) const = default;
};

/// All of them on one line, "a (kubelet.yaml:3), b (flag --b)"; empty if there are none.
[[nodiscard]] std::string to_string(const std::vector<Ignored>& ignored);

/// Origins by dotted key ("sweep.basePeriod"); an entry of a map has brackets:
/// "evictionHard[memory.available]". A key that is absent has evictd's own default.
using Origins = std::map<std::string, Origin, std::less<>>;

/// Names that the file may use and that this module does not know: purposes of the attach ladder
/// and the rows of each. The probe module supplies them. Empty: any lower-case name is accepted.
struct Vocabulary {
  std::map<std::string, std::vector<std::string>> attach_rows;
};

/// One validated configuration. Immutable: a reload creates another one and swaps the whole object.
/// Thread rule: may be read from any thread.
class Config {
 public:
  /// The configuration of an empty file.
  [[nodiscard]] static Config defaults();

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Settings* operator->() const { return &settings_; }
  /// The thresholds that the kubelet derives from the eviction fields.
  [[nodiscard]] const std::vector<eviction::Threshold>& thresholds() const { return thresholds_; }
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
  /// In the order of the input.
  [[nodiscard]] const std::vector<Ignored>& ignored() const { return ignored_; }
  [[nodiscard]] const Origins& origins() const { return origins_; }
  /// Where the value of `key` came from.
  [[nodiscard]] Origin origin(std::string_view key) const;

  /// Equal settings; origins and warnings do not count.
  bool operator==(const Config& other) const { return settings_ == other.settings_; }

 private:
  friend class Validator;
  Config() = default;

  Settings settings_;
  std::vector<eviction::Threshold> thresholds_;
  Origins origins_;
  std::vector<Warning> warnings_;
  std::vector<Ignored> ignored_;
};

/// Reads and validates one YAML (or JSON) file. Errors: one Error for the first problem in file
/// order, then contradictions: "FILE:LINE: KEY: VALUE: what is wrong; allowed: ...". kMalformed for
/// text that is not YAML. kInvalid for a value or key that is not allowed. kExhausted for a file
/// over 256 KiB or nested too deep. Else as open(2) and read(2). An error changes nothing. Cost:
/// allocates; not for the hot thread.
[[nodiscard]] Result<Config> load_file(const std::filesystem::path& path,
                                       const Vocabulary& vocabulary = {});

/// The same for text in memory; `filename` only names it in errors and origins.
[[nodiscard]] Result<Config> parse(std::string_view text, std::string_view filename,
                                   const Vocabulary& vocabulary = {});

}  // namespace evictd::config
