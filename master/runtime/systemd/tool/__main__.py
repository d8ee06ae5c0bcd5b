"""
Overworld's tool on a node. The master runs it as root over its SSH connection, one process for each call:

    python3 -I -S <this folder> <command>  <  one line of JSON, and for some commands a body after it

It prints one line of JSON: {"answer": ...}, or {"problem": {"kind": ..., "why": ...}} for what the master knows how to
handle. Anything else is a mistake of ours or of the machine: a traceback on stderr, and an exit status that is not 0.
Nothing is remembered but files. Python 3.9, standard library alone.

    python3 -I -S <this folder> serve

answers calls until its connection ends (serve.py): the processes of these need not start Python.
"""

import errno
import importlib
import json
import os
import sys

from problem import Problem

# Module of each command; loaded only when it is called, as every call pays for what it loads.
COMMANDS = {
    'setup': 'setup',
    'observe': 'observe',
    'reserve': 'prepare',
    'want': 'sync',
    'store': 'sync',
    'lay_out': 'prepare',
    'start': 'start',
    'stop': 'stop',
    'command': 'console',
    'forget': 'forget',
    'sweep': 'forget',
    'journal_end': 'journal',
}


def read_request():
    """The first line of standard input, byte by byte where it is short: what follows belongs to the command."""
    pieces = []
    while True:
        piece = sys.stdin.buffer.readline(1 << 20)
        pieces.append(piece)
        if piece == b'' or piece.endswith(b'\n'):
            return json.loads(b''.join(pieces))


def run(command, request):
    module = importlib.import_module(COMMANDS[command])
    try:
        return {'answer': getattr(module, command)(request)}
    except Problem as problem:
        return {'problem': {'kind': problem.kind, 'why': problem.why}}
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        return {'problem': {'kind': 'disk-full', 'why': error.filename or '/var/lib/overworld'}}


def main():
    # Everything that is made is ours alone, unless it says otherwise.
    os.umask(0o077)
    command = sys.argv[1]
    if command == 'serve':
        for module in {*COMMANDS.values(), 'serve'}:
            importlib.import_module(module)
        sys.modules['serve'].serve(run)
    else:
        sys.stdout.write(json.dumps(run(command, read_request())) + '\n')


main()
