"""Limits the size of the cache. It contains only copies; missing files are sent again."""

import contextlib
import json
import os
import shutil
import time

import locks
import places
from layouts import cache

# Layouts kept per template: the current one and the previous one, which may be restored.
KEPT_PER_TEMPLATE = 2
KEPT_UNUSED_S = 7 * 86_400
# Age after which an incomplete layout is removed.
BROKEN_OFF_S = 3_600
# Space to leave free in addition to what is written.
SPARE_BYTES = 256 << 20


def make_room(needed, layout):
    """Ensures space for new files in the cache and in a service, if necessary by removing all other layouts."""
    if shutil.disk_usage(places.CACHE).free < 2 * needed + SPARE_BYTES:
        tidy(only=layout)


def tidy(only=None):
    """Removes unused layouts, and files that belong to no layout. Does nothing while a call is using the cache."""
    with locks.held('cache', wait=False) as ours:
        if not ours:
            return
        kept = set()
        for path in _kept(_layouts(), only):
            kept.update(hash for _, _, _, hash in _read(path)['entries'])
        for boot in places.names(places.CACHE):
            _tidy_boot(boot, kept)


def _layouts():
    """Returns path, template and time of last use of each layout of all boots, most recently used first."""
    found = []
    for boot in places.names(places.CACHE):
        folder = f'{places.CACHE}/{boot}/layouts'
        for name in places.names(folder):
            path = f'{folder}/{name}'
            found.append((path, _read(path)['template'], os.stat(path).st_mtime))
    return sorted(found, key=lambda layout: layout[2], reverse=True)


def _kept(layouts, only):
    """Yields the layouts to keep and removes the others."""
    counts = {}
    for path, template, used in layouts:
        age = time.time() - used
        if only is not None:
            stays = os.path.basename(path).split('.')[0] == only
        elif path.endswith('.wanted'):
            # The layout is being transferred, or was left by an interrupted call.
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
        # Truncated by a crash of the machine, so not usable.
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
