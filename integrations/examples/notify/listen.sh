#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Acts whenever a cgroup's usage crosses a threshold upwards; here it only says so.
#
#   listen.sh CGROUP BYTES [SOCKET]
set -eu
cgroup=$1
bytes=$2
socket=${3:-/run/evictd/notify.sock}

usage() {
  cat "$cgroup/memory.current" 2>/dev/null || cat "$cgroup/memory.usage_in_bytes" 2>/dev/null || echo unknown
}

"${EVICTCTL:-evictctl}" listen --direction up --socket "$socket" "$cgroup" "$bytes" |
  while read -r line; do
    echo "$line, usage is $(usage)"
  done
