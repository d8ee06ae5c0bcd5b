"""
Lists and reads files in the folder of a service.

The folder belongs to the service's user, who can change everything in it at any moment. Therefore these commands have
only that user's rights while they work in the folder, and follow no links there.
"""

import base64
import contextlib
import errno
import os
import stat

import places
from hand_over import FOLDER, READ, acting_as
from problem import Problem


def list_files(request):
    """
    Lists at most `limit` entries of a folder, sorted by name, after the name `after`. Leaves out names that are not
    valid UTF-8.
    """
    after = order(request['after'] or '')
    with opened(request['id'], request['folder'], FOLDER) as folder:
        names = sorted((name for name in os.listdir(folder) if is_text(name) and order(name) > after), key=order)
        page = names[:request['limit']]
        entries = [entry for entry in (describe(folder, name) for name in page) if entry is not None]
    return {'entries': entries, 'more': len(names) > len(page)}


def describe_file(request):
    """Describes an entry of a folder, without its name."""
    with opened(request['id'], request['folder'], FOLDER) as folder:
        entry = describe(folder, request['name'])
    if entry is None:
        raise Problem('no-file', request['name'])
    del entry['name']
    return entry


def read_file(request):
    """Reads a piece of a regular file. Returns it with the size and the time of the file."""
    with opened(request['id'], request['path'], READ) as file:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Problem('no-access', 'it is not a regular file')
        content = os.pread(file, request['length'], request['from'])
    return {'base64': base64.b64encode(content).decode(), 'bytes': found.st_size, 'changedAt': changed_at(found)}


@contextlib.contextmanager
def opened(id, path, flags):
    """Opens an object in the folder of a service, with the rights of the service's user."""
    # Otherwise, this process would keep root's additional groups while it acts as a service's user.
    os.setgroups([])
    try:
        # Only root can replace the folder itself, because root owns the folder above it.
        handle = os.open(places.files(id), FOLDER)
    except FileNotFoundError:
        raise Problem('no-folder', 'the service has no folder') from None
    try:
        with acting_as(os.fstat(handle)):
            names = path.split('/') if path else []
            for at, name in enumerate(names):
                inside = open_inside(handle, name, flags if at == len(names) - 1 else FOLDER)
                os.close(handle)
                handle = inside
            yield handle
    finally:
        os.close(handle)


def open_inside(folder, name, flags):
    try:
        return os.open(name, flags, dir_fd=folder)
    except (FileNotFoundError, UnicodeEncodeError):
        raise Problem('no-file', name) from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Problem('no-access', 'it is a link') from None
        raise Problem('no-access', (error.strerror or type(error).__name__).lower()) from None


def describe(folder, name):
    """Describes an entry; None if it was deleted meanwhile, or is not accessible."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (OSError, UnicodeEncodeError):
        return None
    kind = 'file' if stat.S_ISREG(found.st_mode) else 'folder' if stat.S_ISDIR(found.st_mode) else 'other'
    return {
        'name': name,
        'kind': kind,
        'bytes': found.st_size if kind == 'file' else 0,
        'changedAt': changed_at(found),
    }


def changed_at(found):
    return found.st_mtime_ns // 1_000_000


def order(name):
    """Returns what a name is sorted by: its UTF-16 units, because the master compares text by them."""
    return name.encode('utf-16-be', 'surrogatepass')


def is_text(name):
    try:
        return len(name.encode()) > 0
    except UnicodeEncodeError:
        return False
