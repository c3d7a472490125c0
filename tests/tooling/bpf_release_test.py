# SPDX-License-Identifier: Apache-2.0
"""How the kernel side gives back what one CPU at a time may have: by the instructions of the object file."""
import struct
import sys
import unittest
from pathlib import Path

INSTRUCTION = struct.Struct("<BBhi")
XCHG = 0xE1  # the immediate of an atomic instruction that exchanges
ATOMIC = (0xC3, 0xDB)  # of 4 and of 8 bytes
STORE = (0x62, 0x63, 0x7A, 0x7B)
OBJECT = Path("evictd_bpf.bpf.o")


def sections_of(elf):
    offset, = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    names = ("name", "type", "flags", "addr", "offset", "size", "link", "info", "align", "entsize")
    return [dict(zip(names, struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size))) for i in range(count)]


def functions_of(elf, wanted):
    """The instructions of each function of this name, as (opcode, offset, immediate)."""
    sections = sections_of(elf)
    for table in (one for one in sections if one["type"] == 2):
        names = sections[table["link"]]["offset"]
        for at in range(table["offset"], table["offset"] + table["size"], 24):
            name, kind, _, section, value, size = struct.unpack_from("<IBBHQQ", elf, at)
            start = names + name
            if kind & 0xF == 2 and elf[start:elf.index(b"\0", start)].decode() == wanted:
                code = sections[section]["offset"] + value
                yield [(op, off, imm) for op, _, off, imm in INSTRUCTION.iter_unpack(elf[code:code + size])]


class ReleaseTest(unittest.TestCase):
    def test_compare_takes_and_gives_back_by_exchange(self):
        functions = list(functions_of(OBJECT.read_bytes(), "compare"))
        self.assertTrue(functions, "no function compare()")
        for code in functions:
            exchanged = [off for op, off, imm in code if op in ATOMIC and imm == XCHG]
            self.assertEqual(len(exchanged), 2, "one takes `busy`, one gives it back")
            self.assertEqual(len(set(exchanged)), 1, "of one variable")
            self.assertNotIn(exchanged[0], [off for op, off, _ in code if op in STORE],
                             "a plain store may be seen before what precedes it")


if __name__ == "__main__":
    OBJECT = Path(sys.argv.pop())
    unittest.main()
