"""Keeps the cache small: it holds copies only, what is missing is sent again."""

import contextlib
import json
import os
import shutil
import time

import cache
import locks
import places

# Of each template: what services start from now, and what they started from before, for a way back.
KEPT_PER_TEMPLATE = 2
KEPT_UNUSED_S = 7 * 86_400
# A layout that was asked for and has not come is given up.
BROKEN_OFF_S = 3_600
# Left free beside what is to be written.
SPARE_BYTES = 256 << 20


def make_room(needed, layout):
    """Before much is written: without room for it (once here, once in a service) only what it needs itself is kept."""
    if shutil.disk_usage(places.CACHE).free < 2 * needed + SPARE_BYTES:
        tidy(only=layout)


def tidy(only=None):
    """Removes layouts that nobody uses any more, and contents of no layout. Not while a call reads or writes there."""
    with locks.held('cache', wait=False) as ours:
        if not ours:
            return
        kept = set()
        for path in _kept(_layouts(), only):
            kept.update(hash for _, _, _, hash in _read(path)['entries'])
        for boot in places.names(places.CACHE):
            _tidy_boot(boot, kept)


def _layouts():
    """Each layout of this and earlier boots: path, template, when it was used last; the latest first."""
    found = []
    for boot in places.names(places.CACHE):
        folder = f'{places.CACHE}/{boot}/layouts'
        for name in places.names(folder):
            path = f'{folder}/{name}'
            found.append((path, _read(path)['template'], os.stat(path).st_mtime))
    return sorted(found, key=lambda layout: layout[2], reverse=True)


def _kept(layouts, only):
    """The layouts that stay; the others are removed."""
    counts = {}
    for path, template, used in layouts:
        age = time.time() - used
        if only is not None:
            stays = os.path.basename(path).split('.')[0] == only
        elif path.endswith('.wanted'):
            # On its way, or left by a call that broke off.
            stays = age < BROKEN_OFF_S
        else:
            counts[template] = counts.get(template, 0) + 1
            stays = counts[template] <= KEPT_PER_TEMPLATE and age < KEPT_UNUSED_S
        if stays:
            yield path
        else:
            places.remove(path)


def _read(path):
    try:
        return json.loads(cache.read_whole(path) or '')
    except ValueError:
        # Cut off by a crash of the machine: nothing can be made from it.
        return {'template': '', 'entries': []}


def _tidy_boot(boot, kept):
    folder = f'{places.CACHE}/{boot}'
    for name in places.names(f'{folder}/files'):
        if name not in kept:
            places.remove(f'{folder}/files/{name}')
    if boot != places.boot_id():
        for part in (f'{folder}/files', f'{folder}/layouts', folder):
            with contextlib.suppress(OSError):
                os.rmdir(part)
