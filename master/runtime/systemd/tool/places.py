"""Paths on a node. Only root has access, except for the files of a service, which belong to its user."""

import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
# Written by the master (nodes/node-names.ts). The file in the source code has the names of cloud nodes.
with open(f'{HERE}/machine/names.json', encoding='utf-8') as _names:
    NAMES = json.load(_names)

# User and group that own no files. Services have this group, unless they are game servers.
USER = NAMES['user']
# Folders of the master if it runs on this machine; None otherwise.
MASTER_FOLDERS = NAMES['masterFolders']
TOOLS = '/usr/local/lib/overworld'

DATA = NAMES['data']
# One folder per service, which belongs to its user and is the only one that the service sees.
SERVICES = DATA + '/services'
# One folder per service, which belongs to root. It contains the service's record and progress.
NOTES = DATA + '/notes'
CACHE = DATA + '/cache'

# Cleared by a reboot.
RUN = '/run/overworld'
CONSOLES = RUN + '/console'
LOCKS = RUN + '/locks'
DROP_INS = '/run/systemd/system'
UNITS = '/etc/systemd/system'


def files(id):
    return f'{SERVICES}/{id}'


def notes(id):
    return f'{NOTES}/{id}'


def fallback_notes(id):
    """Returns the folder for notes that did not fit on the disk."""
    return f'{RUN}/notes/{id}'


def console(id):
    return f'{CONSOLES}/{id}'


_boot = None


def boot_id():
    """Returns the id of the current boot. It is cached, because reading it takes 80 us and every file needs it."""
    global _boot
    if _boot is None:
        _boot = read('/proc/sys/kernel/random/boot_id').strip()
    return _boot


def uptime():
    """Returns the seconds since the boot, a monotonic clock."""
    return float(read('/proc/uptime').split()[0])


def read(path):
    """Reads a small text file; None if it does not exist."""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read(1 << 20)
    except FileNotFoundError:
        return None


def replace(path, text, mode=0o600):
    """Replaces a file atomically: a reader sees either the old or the new content."""
    part = f'{path}.{os.getpid()}.part'
    try:
        with open(part, 'w', encoding='utf-8') as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        os.rename(part, path)
    except BaseException:
        remove(part)
        raise


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def names(folder):
    """Lists a folder; empty if it does not exist."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
