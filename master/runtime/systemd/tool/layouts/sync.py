"""Transfers a layout to this node in two calls: one reports missing files, one receives them as a tar stream."""

import contextlib
import fcntl
import hashlib
import json
import os
import sys

import locks
import places
from layouts import cache, tidy
from layouts.checks import check_entries
from problem import Problem

BLOCK = 512
CHUNK = 1 << 20
# Constant of Linux; Python defines it from 3.10 on.
F_SETPIPE_SZ = 1031


def want(request):
    """
    Stores a layout, and returns the indices of the entries that must be sent. Each missing content is listed
    only once.
    """
    layout, entries = request['layout'], request['entries']
    check_entries(entries)
    with locks.held('cache', shared=True):
        for folder in ('files', 'layouts'):
            os.makedirs(f'{cache.here()}/{folder}', exist_ok=True)
        missing, seen = [], set()
        for index, (path, size, _, hash) in enumerate(entries):
            if not path.endswith('/') and hash not in seen:
                seen.add(hash)
                if not cache.has(hash, size):
                    missing.append(index)
        places.replace(wanted_path(layout), json.dumps({'template': request['template'], 'entries': entries}))
    needed = sum(entries[index][1] for index in missing)
    tidy.make_room(needed, layout)
    return {'missing': missing}


def store(request):
    """
    Receives missing files as a tar stream in which each file's name is its hash, and verifies the hashes. Then the
    layout can be used. Files received before an interruption are kept and need not be sent again.
    """
    layout = request['layout']
    with locks.held('cache', shared=True):
        text = cache.read_whole(wanted_path(layout))
        if text is None:
            raise Problem('layout-missing', 'its files were removed from the cache to free space')
        entries = json.loads(text)['entries']
        check_entries(entries)
        sizes = {hash: size for path, size, _, hash in entries if not path.endswith('/')}
        received = receive(sizes) if request['files'] > 0 else 0
        for hash, size in sizes.items():
            if not cache.has(hash, size):
                raise Problem('cut-off', f'only {received} of {request["files"]} files arrived completely')
        os.rename(wanted_path(layout), cache.layout_path(layout))
    tidy.tidy()
    return {'received': received}


def wanted_path(layout):
    return f'{cache.here()}/layouts/{layout}.wanted'


def receive(sizes):
    """Reads the stream to its end. Returns the number of files received."""
    count = 0
    buffer = bytearray(CHUNK)
    stream = sys.stdin.buffer
    # With the default of 64 KiB, sshd and this process would wake each other too often.
    with contextlib.suppress(OSError):
        fcntl.fcntl(stream, F_SETPIPE_SZ, CHUNK)
    while True:
        header = stream.read(BLOCK)
        if len(header) < BLOCK or header[0] == 0:
            return count
        hash = header[:100].rstrip(b'\0').decode('ascii')
        size = size_of(header)
        if sizes.get(hash) != size:
            raise Problem('not-wanted', f'a file was sent that was not requested ({hash})')
        if not receive_file(stream, hash, size, buffer):
            return count
        stream.read(-size % BLOCK)
        count += 1


def size_of(header):
    """Returns the size of a file from its header in the stream."""
    field = header[124:136]
    # From 64 GiB on, the size is a binary number, as in the archives of GNU tar.
    if field[0] & 0x80:
        return int.from_bytes(field[1:], 'big')
    return int(field.rstrip(b'\0 '), 8)


def receive_file(stream, hash, size, buffer):
    """Writes one file. Returns False if the stream ended too early."""
    target = cache.content(hash)
    part = f'{target}.{os.getpid()}.part'
    digest = hashlib.sha256()
    view = memoryview(buffer)
    left = size
    try:
        with open(part, 'wb', buffering=0) as file:
            while left > 0:
                count = stream.readinto1(view[: min(left, CHUNK)])
                if count == 0:
                    return False
                piece = view[:count]
                digest.update(piece)
                write_all(file, piece)
                left -= count
        if digest.hexdigest() != hash:
            raise Problem('changed', hash)
        os.rename(part, target)
        return True
    finally:
        places.remove(part)


def write_all(file, piece):
    while len(piece) > 0:
        piece = piece[file.write(piece):]
