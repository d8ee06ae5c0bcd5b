"""
Locks between calls: a call whose connection broke continues, and must not interfere with the next call. The kernel
releases a lock when the process that holds it exits.
"""

import contextlib
import fcntl
import os
import time

import places
from problem import Problem

# Maximum time to wait for a lock. It is longer than laying out a large template takes.
PATIENCE_S = 120


@contextlib.contextmanager
def held(name, shared=False, wait=True):
    """Acquires a lock. Yields False if `wait` is false and another call holds it."""
    handle = _take(name, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, wait)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            os.close(handle)


def of(id, wait=True):
    """Acquires the lock of one service, which is needed to change the service."""
    return held(f'service-{id}', wait=wait)


def drop(id):
    """Removes the lock of a removed service. The caller must hold it."""
    places.remove(f'{places.LOCKS}/service-{id}')


def _take(name, kind, wait):
    os.makedirs(places.LOCKS, exist_ok=True)
    path = f'{places.LOCKS}/{name}'
    deadline = time.monotonic() + PATIENCE_S
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            # The previous holder may have removed the file. In this case, the lock has no effect.
            if _is_at(handle, path):
                return handle
        except BlockingIOError:
            if not wait:
                os.close(handle)
                return None
        os.close(handle)
        if time.monotonic() > deadline:
            raise Problem('busy', f'another call has locked {name} for {PATIENCE_S} s')
        time.sleep(0.01)


def _is_at(handle, path):
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False
