"""A child of the figures: prints, notes the time, and ends in the same breath.

usage: last-words.py BYTES FILE
The time is that of CLOCK_MONOTONIC in nanoseconds, as a 64-bit number, noted after the last byte was taken. The note is a
page in memory that was there before: between the clock and the end lies no call of the system, which a file system could
hold up for milliseconds.
"""

import mmap
import os
import struct
import sys
import time

note = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
os.ftruncate(note, 8)
page = mmap.mmap(note, 8)
page[:] = bytes(8)
rest = b"x" * int(sys.argv[1])
while rest:
    rest = rest[os.write(1, rest) :]
struct.pack_into("<Q", page, 0, time.monotonic_ns())
os._exit(0)
