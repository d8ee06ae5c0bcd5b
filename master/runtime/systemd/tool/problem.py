"""Refusals of commands, with kinds that the master knows."""

import errno

import places


class Problem(Exception):
    def __init__(self, kind, why=''):
        super().__init__(kind, why)
        self.kind = kind
        self.why = why


def is_disk_full(error):
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def describe(error):
    """Returns a problem in the form in which the master gets it. Any other error has the kind `failed`."""
    if isinstance(error, Problem):
        return {'kind': error.kind, 'why': error.why}
    if is_disk_full(error):
        return {'kind': 'disk-full', 'why': error.filename or places.DATA}
    return {'kind': 'failed', 'why': f'{type(error).__name__}: {error}'}
