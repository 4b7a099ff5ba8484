"""A zip file of a folder, the same bytes for the same content: `zip.py FOLDER FILE SECONDS`, with the time of all files."""
import os
import sys
import time
import zipfile

folder, path, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
with zipfile.ZipFile(path, "w") as archive:
    for file in files:
        entry = zipfile.ZipInfo(os.path.relpath(file, folder), time.gmtime(seconds)[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if os.access(file, os.X_OK) else 0o100644) << 16
        with open(file, "rb") as content:
            archive.writestr(entry, content.read())
