# SPDX-License-Identifier: Apache-2.0
# One CMake target a folder of userspace/, and a header that a target did not declare does not resolve.

# The sources of a target are compiled several at a time with EVICTD_UNITY.
function(evictd_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${EVICTD_UNITY} UNITY_BUILD_BATCH_SIZE ${EVICTD_UNITY_BATCH})
  if(EVICTD_UNITY)
    # A source that another one includes looks to gcc like a header, whose types must not be local.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# evictd_module(NAME SOURCES a.cpp b.cpp DEPENDS core sys LIBRARIES spdlog::spdlog)
#
# COLD: what runs at start or for a person; compiled with EVICTD_COLD_FLAGS too.
# Makes the static library evictd_NAME of the current folder. Its headers are included as "NAME/header.h".
# They resolve only for targets that depend on it: the folder is reached through a directory of its own
# in the build tree, which holds nothing but a link to the folder.
function(evictd_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SOURCES;DEPENDS;LIBRARIES;PRIVATE_LIBRARIES")
  set(target evictd_${name})
  set(include_root ${PROJECT_BINARY_DIR}/modules/${name})
  file(MAKE_DIRECTORY ${include_root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_root}/${name} SYMBOLIC)

  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE evictd_build_flags ${arg_PRIVATE_LIBRARIES})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(arg_SOURCES)
    evictd_compile_together(${target})
    target_compile_options(${target} PRIVATE ${EVICTD_MODULE_FLAGS})
  endif()
  if(arg_COLD)
    target_compile_options(${target} PRIVATE ${EVICTD_COLD_FLAGS})
  endif()
  target_include_directories(${target} ${scope} ${include_root} ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM arg_DEPENDS PREPEND evictd_)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} ${arg_LIBRARIES})
endfunction()

# evictd_program(NAME SOURCES main.cpp DEPENDS daemon LIBRARIES CLI11::CLI11)
function(evictd_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  evictd_compile_together(${name})
  list(TRANSFORM arg_DEPENDS PREPEND evictd_)
  target_link_libraries(${name} PRIVATE evictd_build_flags ${arg_DEPENDS} ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# evictd_test(NAME LABEL unit SOURCES x_test.cpp DEPENDS eviction)
#
# Makes one GoogleTest program; each of its cases is a ctest test of its own, named Suite.Case,
# with LABEL (unit, bpf, integration, vectors, vm) as its label. SERIAL: no other test runs beside
# one of these, for those that put the machine itself under load or measure what it does.
# NIGHTLY, a list of GoogleTest patterns: cases of this kind have the label LABEL-nightly, for more of what others show
# already. NIGHTLY_SANITIZED: likewise where a sanitizer watches, for what the plain build runs for each change.
# Where a sanitizer watches, a program of unit tests is one test, with its own name: its start takes longer there than most
# of its cases, and there are thousands.
# FIXTURES: what other tests must have set up before (FIXTURES_REQUIRED).
function(evictd_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "LABEL;TIMEOUT"
                        "SOURCES;DEPENDS;LIBRARIES;DEFINITIONS;FIXTURES;NIGHTLY;NIGHTLY_SANITIZED")
  add_executable(${name} ${arg_SOURCES})
  evictd_compile_together(${name})
  list(TRANSFORM arg_DEPENDS PREPEND evictd_)
  target_link_libraries(${name} PRIVATE evictd_build_flags ${arg_DEPENDS} ${arg_LIBRARIES}
                                        GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(nightly ${arg_NIGHTLY})
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    if(arg_LABEL MATCHES "^unit")
      add_test(NAME ${name} COMMAND ${name})
      # The longest are among them. A case that is skipped counts for the program, and no program may be.
      set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 1800 COST 500
                                              SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
      return()
    endif()
    list(APPEND nightly ${arg_NIGHTLY_SANITIZED})
  endif()
  list(JOIN nightly ":" nightly)
  # DISCOVERY_MODE PRE_TEST: a cross or sanitizer build must not run the program while it is being built.
  # NO_PRETTY_VALUES: a case with parameters is called by the name that its suite gives it, and not also by
  # the bytes of the parameter, which change from run to run.
  set(discover ${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES)
  set(properties TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_SERIAL})
  if(arg_FIXTURES)
    list(APPEND properties FIXTURES_REQUIRED ${arg_FIXTURES})
  endif()
  if(nightly)
    gtest_discover_tests(${discover} TEST_FILTER "-${nightly}" PROPERTIES ${properties} LABELS ${arg_LABEL})
    gtest_discover_tests(${discover} TEST_FILTER "${nightly}" PROPERTIES ${properties} LABELS ${arg_LABEL}-nightly)
  else()
    gtest_discover_tests(${discover} PROPERTIES ${properties} LABELS ${arg_LABEL})
  endif()
endfunction()

# evictd_fuzz(NAME DEPENDS eviction [SOURCES ../../userspace/daemon/state/saved_state.cpp])
#
# SOURCES are single files of a module that is too large to be built for one reader.
#
# Makes the libFuzzer program NAME from NAME.cpp; scripts/fuzz builds and runs them all. Fuzz.NAME, with the label
# fuzz, reads its seeds once.
function(evictd_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LIBRARIES;SOURCES")
  add_executable(${name} ${name}.cpp ${arg_SOURCES})
  list(TRANSFORM arg_DEPENDS PREPEND evictd_)
  target_link_libraries(${name} PRIVATE evictd_build_flags ${arg_DEPENDS} ${arg_LIBRARIES} -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  add_dependencies(evictd_fuzz_targets ${name})
  add_test(NAME Fuzz.${name} COMMAND ${name} -runs=0 -timeout=10 -artifact_prefix=${PROJECT_BINARY_DIR}/crash-${name}-
                                     ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  set_tests_properties(Fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()
