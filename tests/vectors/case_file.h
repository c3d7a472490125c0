// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"

namespace evictd::vectors {

/// A file of cases, one JSON object a line, plain or compressed with zstd (".jsonl", ".jsonl.zst").
struct CaseFile {
  std::filesystem::path path;
  /// The file's name without ".zst": what it is called in reports and in answers.
  std::string name;
  /// The name without ".jsonl": names the suite.
  std::string suite;
};

/// The case files of a directory, by name.
/// Errors: those of listing it; kNotFound if there is none.
[[nodiscard]] Result<std::vector<CaseFile>> find_case_files(const std::filesystem::path& directory);

/// The whole text of a case file.
/// Errors: those of reading; kMalformed for what is not zstd; kExhausted beyond 1 GiB of text.
[[nodiscard]] Result<std::string> read_text(const CaseFile& file);

/// Whether every case file can be answered in a file of its name in the directory `answers`.
/// Errors: kInvalid if two would be answered in the same one, or if one of those is a case file,
/// whatever link leads there.
[[nodiscard]] Result<> check_answers(const std::vector<CaseFile>& files,
                                     const std::filesystem::path& answers);

/// The lines of a text that are not empty, with their numbers counted from 1.
struct Line {
  std::size_t number = 0;
  std::string_view text;
};
[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

}  // namespace evictd::vectors
