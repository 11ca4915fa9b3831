"""A child of the soak: prints a pseudo-random stream that can be made again from its seed, and keeps a ledger.

usage: printer.py SEED ALPHABET STREAM BYTES PIECE_BYTES PAUSE_MS LAST_BYTES LINGER_MS LEDGER
ALPHABET is `bytes` or `printable` (a terminal passes these on as they are), STREAM 1 or 2. Prints all but LAST_BYTES in
pieces with a pause after each, lingers, prints the rest at once and ends in the same breath, with code 0.

The ledger is a file of two 64-bit numbers: bytes that the system took so far, and the time just before the end on
CLOCK_MONOTONIC in nanoseconds. pseudo-random-stream.ts is the other side of `block`.
"""

import binascii
import hashlib
import os
import struct
import sys
import time

BLOCK_BYTES = 32_768

seed, alphabet = sys.argv[1:3]
stream, total, piece_bytes, pause_ms, last_bytes, linger_ms = map(int, sys.argv[3:9])
ledger = os.open(sys.argv[9], os.O_WRONLY | os.O_CREAT, 0o600)


def block(number: int) -> bytes:
    digest = hashlib.shake_128(f"{seed}:{number}".encode())
    if alphabet == "bytes":
        return digest.digest(BLOCK_BYTES)
    return binascii.b2a_base64(digest.digest(BLOCK_BYTES // 4 * 3), newline=False)


offset = 0
number = -1
current = b""


def print_up_to(end: int, most: int, pause_s: float) -> None:
    global offset, number, current
    while offset < end:
        if offset // BLOCK_BYTES != number:
            number = offset // BLOCK_BYTES
            current = block(number)
        start = offset % BLOCK_BYTES
        offset += os.write(stream, current[start : start + min(most, end - offset)])
        os.pwrite(ledger, struct.pack("<Q", offset), 0)
        if pause_s > 0:
            time.sleep(pause_s)


print_up_to(total - last_bytes, piece_bytes, pause_ms / 1000)
time.sleep(linger_ms / 1000)
print_up_to(total, BLOCK_BYTES, 0)
os.pwrite(ledger, struct.pack("<Q", time.monotonic_ns()), 8)
os._exit(0)
