# SPDX-License-Identifier: Apache-2.0
# evictd_protobuf(TARGET PROTO x.proto)
#
# Makes the static library TARGET of the messages of x.proto, whose users can include "x.pb.h". What protoc writes is
# compiled without our warnings. TARGET_files makes the sources alone.
function(evictd_protobuf target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROTO" "")
  get_filename_component(proto ${arg_PROTO} ABSOLUTE)
  get_filename_component(stem ${proto} NAME_WE)
  get_filename_component(place ${proto} DIRECTORY)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/protobuf)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${stem}.pb.cc ${folder}/${stem}.pb.h
    COMMAND ${Protobuf_PROTOC_EXECUTABLE} --cpp_out=${folder} --proto_path=${place} ${proto}
    DEPENDS ${proto}
    COMMENT "Protobuf ${arg_PROTO}"
    VERBATIM)
  add_custom_target(${target}_files DEPENDS ${folder}/${stem}.pb.cc ${folder}/${stem}.pb.h)
  add_library(${target} STATIC ${folder}/${stem}.pb.cc ${folder}/${stem}.pb.h)
  target_include_directories(${target} SYSTEM PUBLIC ${folder})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
  add_dependencies(${target} ${target}_files)
endfunction()
