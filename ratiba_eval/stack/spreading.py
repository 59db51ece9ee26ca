"""Databases apart on the disk: what one of them deletes does not slow down what another one makes."""

import fcntl
import os
import struct
from pathlib import Path

# linux/fs.h and ext4; `chattr +T` does the same
_GET_FLAGS, _SET_FLAGS, _TOP_OF_HIERARCHY = 0x80086601, 0x40086602, 0x00020000


def spread_folders_in(folder: Path) -> bool:
    """Ask the file system to place the folders made in this one far apart; whether it will.

    ext4 looks for a free inode near the folder and, without a journal, passes over those deleted within the last
    minutes one by one: measured, 170 µs a file instead of 15 after a few thousand files were deleted, and a tenant has
    about 160. A hint only: other file systems refuse, which changes nothing. Safe to repeat.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            held = fcntl.ioctl(descriptor, _GET_FLAGS, struct.pack("l", 0))
            flags = struct.unpack("i", held[:4])[0] | _TOP_OF_HIERARCHY
            fcntl.ioctl(descriptor, _SET_FLAGS, struct.pack("l", flags))
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True
