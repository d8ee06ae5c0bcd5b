"""
Rewrites the files with which running services find the master, after the master has moved.

The folder of a service belongs to the service's user, who can change everything in it at any moment. Therefore this
command has only that user's rights while it works in the folder, and it follows no links there.
"""

import contextlib
import os
import stat

import locks
import observe
import places
from problem import Problem

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe at the path must not block.
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def refresh_hand_over(request):
    """
    Writes the hand-over file of each listed service if its content differs. Skips services that have no folder or no
    record. Returns the ids of services whose file was replaced (`written`), and the ids of services for which that
    failed, with the reason (`failed`).
    """
    written, failed = [], []
    # Otherwise, this process would keep root's additional groups while it acts as a service's user.
    os.setgroups([])
    for file in request['files']:
        id = file['id']
        try:
            if refresh(id, request['name'], file['text'].encode('latin-1')):
                written.append(id)
        except (OSError, Problem) as error:
            why = error.why if isinstance(error, Problem) else error.strerror or type(error).__name__
            failed.append({'id': id, 'why': why})
    return {'written': written, 'failed': failed}


def refresh(id, name, content):
    """Replaces the hand-over file of one service if its content differs. Returns whether it was replaced."""
    if observe.record_of(id) is None:
        return False
    with locks.of(id, wait=False) as ours:
        if not ours:
            raise Problem('busy', 'another call is working on the service')
        # Only root can replace the folder itself, because root owns the folder above it.
        try:
            folder = os.open(places.files(id), FOLDER)
        except FileNotFoundError:
            return False
        try:
            with acting_as(os.fstat(folder)):
                if holds(folder, name, content):
                    return False
                replace(folder, name, content)
                return True
        finally:
            os.close(folder)


@contextlib.contextmanager
def acting_as(owner):
    """
    Acts with the rights of a folder's owner. The real user remains root, so that the service can neither send signals
    to this process nor inspect it.
    """
    user, group = os.geteuid(), os.getegid()
    os.setegid(owner.st_gid)
    try:
        os.seteuid(owner.st_uid)
        try:
            yield
        finally:
            os.seteuid(user)
    finally:
        os.setegid(group)


def holds(folder, name, content):
    """Returns whether a regular file in the folder has this content."""
    try:
        handle = os.open(name, READ, dir_fd=folder)
    except OSError:
        # The file is missing, a link, or not readable, so it is replaced.
        return False
    with open(handle, 'rb', buffering=0) as file:
        return stat.S_ISREG(os.fstat(handle).st_mode) and file.read(len(content) + 1) == content


def replace(folder, name, content):
    """Replaces a file atomically: the plugin reads either the old or the new content."""
    part = f'{name}.part'
    # An interrupted call may have left it.
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part, dir_fd=folder)
    try:
        with open(os.open(part, CREATE, 0o600, dir_fd=folder), 'wb') as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(content)
        os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part, dir_fd=folder)
        raise
