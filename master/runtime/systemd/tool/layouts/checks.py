"""
Checks of the files that the master names. Root builds paths from these paths and hashes. The master has read them
from records that an attacker may have changed.
"""

import re

from problem import Problem

HASH = re.compile('[0-9a-f]{64}')
MAX_PATH_LENGTH = 4096
NOT_NAMES = frozenset(('', '.', '..'))


def check_entries(entries):
    """Checks the files of a layout: [path, size, mode, sha256] each. The path of a folder ends in `/`."""
    if not isinstance(entries, list):
        raise Problem('failed', 'the list of its files is not a list')
    for entry in entries:
        if not _is_valid(entry):
            raise Problem('failed', f'the list of its files has an unsafe entry: {str(entry)[:200]}')


def check_hash(hash):
    if not _is_hash(hash):
        raise Problem('failed', f'{str(hash)[:200]} is not the hash of a file')


def _is_valid(entry):
    if not isinstance(entry, list) or len(entry) != 4:
        return False
    path, size, mode, hash = entry
    if not isinstance(path, str) or type(size) is not int or size < 0 or type(mode) is not int:
        return False
    return _is_inside(path[:-1]) if path.endswith('/') else _is_hash(hash) and _is_inside(path)


def _is_hash(hash):
    return isinstance(hash, str) and HASH.fullmatch(hash) is not None


def _is_inside(path):
    """Returns whether a path is relative, and no part of it is `.`, `..` or empty."""
    return len(path) < MAX_PATH_LENGTH and '\0' not in path and NOT_NAMES.isdisjoint(path.split('/'))
