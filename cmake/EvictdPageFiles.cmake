# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES="a;b" -DOUTPUT=page_files.cpp -P EvictdPageFiles.cmake
#
# Writes the source behind userspace/web/page_files.h: each file as an array of bytes.
set(types html text/html css text/css js text/javascript svg image/svg+xml json application/json)
set(arrays "")
set(rows "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  get_filename_component(ending ${file} LAST_EXT)
  string(SUBSTRING ${ending} 1 -1 ending)
  list(FIND types ${ending} place)
  math(EXPR place "${place} + 1")
  list(GET types ${place} type)
  if(type MATCHES "^text/")
    set(type "${type}; charset=utf-8")
  endif()
  set(path /${name})
  if(name STREQUAL index.html)
    set(path /)
  elseif(name STREQUAL openapi.json)
    set(path /api/v1/openapi.json)
  endif()
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char k_${identifier}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${path}\", \"${type}\", {k_${identifier}, sizeof k_${identifier}}},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"web/page_files.h\"

#include <array>

namespace evictd::web {
namespace {

${arrays}
constexpr PageFile kFiles[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace evictd::web
")
