// SPDX-License-Identifier: Apache-2.0

package memcgnotify

// eventfd2(2), which the standard library has no name for.
const sysEventfd2 = 290
