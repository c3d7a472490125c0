# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts in the parent folder: the location of the tree, and how to build a preset.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cores=$(nproc)

say() { echo "== $*"; }

die() {
  echo "${0##*/}: $*" >&2
  exit 2
}

# need_count OPTION VALUE: dies unless VALUE is a whole number from 1 to 999999999, written without leading zeros.
need_count() {
  [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || die "$1 needs a whole number from 1 to 999999999, not \"$2\""
}

# configure PRESET: prints CMake's output only if it fails.
configure() {
  local log
  mkdir -p "$root/build"
  log=$(mktemp "$root/build/configure.XXXXXX")
  if ! (cd "$root" && cmake --preset "$1") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "configuring the preset $1 failed"
  fi
  rm -f "$log"
}

# build PRESET [TARGET...]: configures, then builds with Ninja's own progress; all targets if none is named.
build() {
  local preset=$1
  shift
  say "building build/$preset with $cores jobs"
  configure "$preset"
  local targets=()
  (($# == 0)) || targets=(--target "$@")
  NINJA_STATUS='[%f/%t, %e s] ' cmake --build "$root/build/$preset" -j "$cores" "${targets[@]}" ||
    die "building the preset $preset failed"
}

# build_generated PRESET: configures, then builds only the generated headers, so that every source can be
# parsed. evictd_bpf_skeleton() names the target of its header NAME_files.
build_generated() {
  configure "$1"
  local targets
  mapfile -t targets < <(cmake --build "$root/build/$1" --target help | sed -n 's/^\(\w*_files\): phony$/\1/p')
  cmake --build "$root/build/$1" -j "$cores" --target "${targets[@]}" >/dev/null ||
    die "building the generated headers of the preset $1 failed"
}
