// SPDX-License-Identifier: Apache-2.0
#include "case_file.h"
#include "evictd/try.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace evictd::vectors {
namespace {

constexpr std::string_view kCases = ".jsonl";
constexpr std::string_view kCompressed = ".zst";
constexpr std::size_t kMaxText = std::size_t{1} << 30U;

Result<std::string> decompressed(std::string_view packed) {
  struct FreeStream {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  const std::unique_ptr<ZSTD_DCtx, FreeStream> context(ZSTD_createDCtx());
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t state = 1;
  while (in.pos < in.size || state != 0) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    const std::size_t before = in.pos;
    state = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(state) != 0) {
      return fail(Errc::kMalformed, std::string("zstd: ") + ZSTD_getErrorName(state));
    }
    text.append(chunk.data(), out.pos);
    if (text.size() > kMaxText) {
      return fail(Errc::kExhausted, "more than 1 GiB of text");
    }
    if (state != 0 && out.pos == 0 && in.pos == before) {
      return fail(Errc::kMalformed, "zstd: the file ends in the middle of a frame");
    }
  }
  return text;
}

/// A stream of C says what went wrong with a read; one of C++ takes it for an empty file.
Result<std::string> bytes_of(const std::filesystem::path& path) {
  struct CloseFile {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return fail_errno(errno, "read " + path.string());
  }
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  std::size_t got = chunk.size();
  while (got == chunk.size()) {
    errno = 0;
    got = std::fread(chunk.data(), 1, chunk.size(), file.get());
    text.append(chunk.data(), got);
    if (text.size() > kMaxText) {
      return fail(Errc::kExhausted, "read " + path.string() + ": more than 1 GiB of text");
    }
  }
  if (std::ferror(file.get()) != 0) {
    return fail_errno(errno, "read " + path.string());
  }
  return text;
}

}  // namespace

Result<std::vector<CaseFile>> find_case_files(const std::filesystem::path& directory) {
  std::vector<CaseFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    CaseFile file{at->path(), at->path().filename().string(), {}};
    if (file.name.ends_with(kCompressed)) {
      file.name.resize(file.name.size() - kCompressed.size());
    }
    if (file.name.size() > kCases.size() && file.name.ends_with(kCases)) {
      file.suite = file.name.substr(0, file.name.size() - kCases.size());
      files.push_back(std::move(file));
    }
  }
  if (error) {
    return fail_errno(error.value(), "list " + directory.string());
  }
  if (files.empty()) {
    return fail(Errc::kNotFound, directory.string() + ": no .jsonl or .jsonl.zst file");
  }
  std::sort(files.begin(), files.end(),
            [](const CaseFile& a, const CaseFile& b) { return a.path < b.path; });
  return files;
}

Result<std::string> read_text(const CaseFile& file) {
  Result<std::string> text = bytes_of(file.path);
  if (!text || !file.path.string().ends_with(kCompressed)) {
    return text;
  }
  return EVICTD_IN("read " + file.path.string(), decompressed(*text));
}

Result<> check_answers(const std::vector<CaseFile>& files, const std::filesystem::path& answers) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (files[i].name == files[j].name) {
        return fail(Errc::kInvalid, files[j].path.string() + " and " + files[i].path.string() +
                                        ": both would be answered in " + files[i].name);
      }
    }
    const std::filesystem::path answer = answers / files[i].name;
    for (const CaseFile& file : files) {
      std::error_code not_there;
      if (std::filesystem::equivalent(answer, file.path, not_there)) {
        return fail(Errc::kInvalid, answer.string() + " is " + file.path.string() +
                                        ": answers would replace the case files");
      }
    }
  }
  return {};
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!line.empty()) {
      lines.push_back({number, line});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace evictd::vectors
