# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after build.bash: the files of the tree to format and check.

# Every handwritten C and C++ file; vmlinux/ is generated.
c_sources() {
  find include userspace bpf tests bench integrations examples -type f \
    \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) 2>/dev/null | sort
}

# Every shell script, found by its first line or by the name of a sourced part.
shell_sources() {
  {
    grep -rlIE '^#!.*\b(ba)?sh\b' .ci scripts tests bench deploy integrations examples 2>/dev/null || true
    find scripts -name '*.bash'
  } | sort -u
}
