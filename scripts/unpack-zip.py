"""Unpacks a zip archive with its file modes: unpack-zip.py ARCHIVE TARGET [SKIPPED_PREFIX...]

Node has no reader for zip files, and python3 is needed to build node-pty anyway.
"""

import os
import sys
import zipfile

archive, target, *skipped = sys.argv[1:]
with zipfile.ZipFile(archive) as zipped:
    for entry in zipped.infolist():
        if entry.filename.startswith(tuple(skipped)):
            continue
        path = zipped.extract(entry, target)
        mode = entry.external_attr >> 16 & 0o777
        if mode and not entry.is_dir():
            os.chmod(path, mode)
