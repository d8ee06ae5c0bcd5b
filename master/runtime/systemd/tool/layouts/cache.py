"""
Cache of the files from which services are created, keyed by content.

    cache/<boot>/files/<sha256>        a file's content
    cache/<boot>/layouts/<layout>.json files of a service: [path, size, mode, sha256] each; written last

Files written during this boot are complete. Files of an earlier boot may be truncated, because nothing is flushed to
the disk; they are used only after their hash was verified (`adopt`).
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import stat

import places
from layouts.checks import check_entries, check_hash
from problem import Problem

FICLONE = 0x40049409
CHUNK = 1 << 20


def here():
    return f'{places.CACHE}/{places.boot_id()}'


def content(hash):
    check_hash(hash)
    return f'{here()}/files/{hash}'


def layout_path(layout):
    return f'{here()}/layouts/{layout}.json'


def is_known(layout):
    return os.path.exists(layout_path(layout))


def entries_of(layout):
    text = read_whole(layout_path(layout))
    if text is None:
        raise Problem('layout-missing', 'its files were removed from the cache')
    entries = json.loads(text)['entries']
    try:
        check_entries(entries)
    except Problem as problem:
        raise _damaged(layout, problem.why) from None
    return entries


def read_whole(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except FileNotFoundError:
        return None


def has(hash, size):
    """Returns whether this content is cached. If necessary, adopts it from an earlier boot first."""
    try:
        return os.stat(content(hash)).st_size == size
    except FileNotFoundError:
        return adopt(hash, size)


def adopt(hash, size):
    for boot in places.names(places.CACHE):
        old = f'{places.CACHE}/{boot}/files/{hash}'
        with contextlib.suppress(FileNotFoundError):
            if boot == places.boot_id():
                continue
            if os.stat(old).st_size == size and hash_of(old) == hash:
                os.makedirs(f'{here()}/files', exist_ok=True)
                os.rename(old, content(hash))
                return True
            os.unlink(old)
    return False


def hash_of(path):
    digest = hashlib.sha256()
    buffer = bytearray(CHUNK)
    # `path` may also be a file descriptor, which stays open.
    with open(path, 'rb', buffering=0, closefd=not isinstance(path, int)) as file:
        while (count := file.readinto(buffer)) > 0:
            digest.update(memoryview(buffer)[:count])
    return digest.hexdigest()


def copy_out(layout, target, owner):
    """
    Copies all files of a layout to a new folder and sets their owner. Shares blocks if the file system supports it.
    What a service writes to its copy never affects the cache. The Java runtime in `jre/` is not copied but linked, and
    belongs to root, because a server does not write to it. Returns the entries of the layout.
    """
    entries = entries_of(layout)
    os.utime(layout_path(layout))
    _make_folders(entries, target, owner)
    copier = Copier()
    top = here()
    for path, size, mode, hash in entries:
        if path.endswith('/') or (_is_shared(path) and _link(f'{top}/files/{hash}', f'{target}/{path}', size)):
            continue
        with open(f'{target}/{path}', 'xb', buffering=0) as file:
            try:
                with open(f'{top}/files/{hash}', 'rb', buffering=0) as source:
                    copier.copy(source.fileno(), file.fileno(), size)
            except FileNotFoundError:
                raise _damaged(layout, f'{path} is missing') from None
            if os.fstat(file.fileno()).st_size != size:
                raise _damaged(layout, f'{path} is cut off')
            os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)
            # Always readable and writable for the owner, because a service writes to its own files.
            os.fchmod(file.fileno(), stat.S_IMODE(mode) & 0o777 | 0o600)
    return entries


def free_bytes(file):
    """Returns the free space of the disk of an open file, without the space that is reserved for root."""
    disk = os.fstatvfs(file)
    return disk.f_bavail * disk.f_frsize


def _is_shared(path):
    return path == 'jre' or path.startswith('jre/')


def _link(source, target, size):
    """Links a file of the cache, read-only for everyone. Returns False if it must be copied."""
    try:
        if os.stat(source).st_size != size:
            return False
        # All uses of the content share one mode. It makes the file executable, because the content may be a program.
        os.chmod(source, 0o555)
        os.link(source, target)
        return True
    except OSError:
        # The content is missing or has too many links, or the file system does not support links. If the content
        # cannot be copied either, copying reports the reason.
        return False


def _make_folders(entries, target, owner):
    folders = {''}
    for path, _, _, _ in entries:
        parent = path.rstrip('/') if path.endswith('/') else os.path.dirname(path)
        while parent not in folders:
            folders.add(parent)
            parent = os.path.dirname(parent)
    for folder in sorted(folders):
        path = f'{target}/{folder}'.rstrip('/')
        os.mkdir(path, 0o700)
        if _is_shared(folder):
            os.chmod(path, 0o755)
        else:
            os.chown(path, owner.pw_uid, owner.pw_gid)


def _damaged(layout, why):
    """Removes the layout and reports it as missing, so that the master transfers it again."""
    places.remove(layout_path(layout))
    return Problem('layout-missing', why)


class Copier:
    """Copies files by the fastest method that the file system supports."""

    def __init__(self, spare_bytes=0):
        # Space that copies leave free on the disk. Copies that share their blocks need no space.
        self.spare_bytes = spare_bytes
        self.can_share = True
        self.can_range = True

    def copy(self, source, target, size):
        if size == 0 or self._share(source, target):
            return
        if self.spare_bytes > 0 and free_bytes(target) < size + self.spare_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), places.DATA)
        left = size
        while left > 0:
            count = self._some(source, target, left)
            if count == 0:
                return
            left -= count

    def _share(self, source, target):
        if not self.can_share:
            return False
        try:
            fcntl.ioctl(target, FICLONE, source)
            return True
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            self.can_share = False
            return False

    def _some(self, source, target, count):
        if self.can_range:
            try:
                return os.copy_file_range(source, target, count)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
                    raise
                self.can_range = False
        return os.sendfile(target, source, None, min(count, CHUNK))
