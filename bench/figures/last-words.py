"""A child of the figures: prints, notes the time, and ends in the same breath.

usage: last-words.py BYTES FILE
The time is that of CLOCK_MONOTONIC in nanoseconds, as a 64-bit number, written after the last byte was taken.
"""

import os
import struct
import sys
import time

note = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT, 0o600)
rest = b"x" * int(sys.argv[1])
while rest:
    rest = rest[os.write(1, rest) :]
os.pwrite(note, struct.pack("<Q", time.monotonic_ns()), 0)
os._exit(0)
