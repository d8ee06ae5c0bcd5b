"""Sends the files of a snapshot to the master."""

import json
import sys

from problem import Problem
from volumes import snapshot

CHUNK = 1 << 20


def send_list(request):
    """
    Writes a line of JSON for each file to standard output, and at the end a line with the paths that were skipped.
    The list may be longer than an answer.
    """
    found = snapshot.list_of(request['id'])
    for file in found['files']:
        line = [file['path'], file['size'], file['mode'], file['modifiedNs'] / 1e6, file['hash']]
        sys.stdout.write(json.dumps(line) + '\n')
    sys.stdout.write(json.dumps({'skipped': found['skipped']}) + '\n')
    sys.stdout.flush()


def send(request):
    """
    Writes the contents with the requested hashes to standard output, one after the other. Nothing separates them,
    because the master knows their sizes. The master also verifies their hashes.
    """
    id = request['id']
    files = {file['hash']: file for file in snapshot.list_of(id)['files']}
    out = sys.stdout.buffer
    for hash in request['hashes']:
        if hash not in files:
            raise Problem('changed', f'no file of the snapshot has the content {hash}')
        with snapshot.open_content(id, files[hash]) as content:
            while piece := content.read(CHUNK):
                out.write(piece)
    out.flush()
