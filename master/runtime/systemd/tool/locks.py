"""
Locks between calls: a call whose connection broke goes on, and the next must not cross it. They are the kernel's, and
end with the process that holds them.
"""

import contextlib
import fcntl
import os
import time

import places
from problem import Problem

# Longer than laying out a large template; then something is badly stuck.
PATIENCE_S = 120


@contextlib.contextmanager
def held(name, shared=False, wait=True):
    """Holds a lock. Yields False when it is not to wait and somebody else has it."""
    handle = _take(name, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, wait)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            os.close(handle)


def of(id, wait=True):
    """The lock of one service: whoever changes what it is holds it."""
    return held(f'service-{id}', wait=wait)


def drop(id):
    """Removes the lock of a service that is no more. Only by who holds it."""
    places.remove(f'{places.LOCKS}/service-{id}')


def _take(name, kind, wait):
    os.makedirs(places.LOCKS, exist_ok=True)
    path = f'{places.LOCKS}/{name}'
    deadline = time.monotonic() + PATIENCE_S
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            # Whoever held it before may have removed it: then it locks nothing.
            if _is_at(handle, path):
                return handle
        except BlockingIOError:
            if not wait:
                os.close(handle)
                return None
        os.close(handle)
        if time.monotonic() > deadline:
            raise Problem('busy', f'another call has held {name} for {PATIENCE_S} s')
        time.sleep(0.01)


def _is_at(handle, path):
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False
