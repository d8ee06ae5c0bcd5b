"""
Overworld's tool on a node. The master runs it as root over its SSH connection, one process for each call:

    python3 -I -S <this folder> <command>  <  one line of JSON, and for some commands a body after it

It prints one line of JSON: {"answer": ...}, or {"problem": {"kind": ..., "why": ...}} for problems that the master
can handle. Any other failure is an error of the tool or of the machine. It causes a traceback on stderr and a
non-zero exit status. All state is in files. Requires Python 3.9 and only the standard library.

    python3 -I -S <this folder> serve

answers calls until its connection ends (serve.py), so that Python is started only once.
"""

import importlib
import json
import os
import sys

from problem import Problem, describe, is_disk_full

# Module of each command. It is loaded only when needed, because loading takes time.
COMMANDS = {
    'setup': 'setup',
    'admit': 'firewall',
    'observe': 'observe',
    'reserve': 'prepare',
    'want': 'layouts.sync',
    'store': 'layouts.sync',
    'lay_out': 'prepare',
    'start': 'start',
    'stop': 'stop',
    'command': 'console',
    'forget': 'forget',
    'sweep': 'forget',
    'journal_end': 'journal',
    'refresh_hand_over': 'hand_over',
    'java_list': 'machine.java',
    'java_package': 'machine.java',
    'java_store': 'machine.java',
    'add_paths': 'volumes.snapshot',
    'take': 'volumes.snapshot',
    'read': 'volumes.snapshot',
    'end': 'volumes.snapshot',
    'list_files': 'live.files',
    'describe_file': 'live.files',
    'read_file': 'live.files',
}

# Commands that answer with bytes instead of one line of JSON. Every problem is an error for the master.
STREAMS = {
    'send': 'volumes.send',
    'send_list': 'volumes.send',
}


def read_request():
    """Reads the first line of standard input and nothing beyond it, because the rest belongs to the command."""
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
    except Exception as error:
        # Anything else is an error of the tool or of the machine.
        if not isinstance(error, Problem) and not is_disk_full(error):
            raise
        return {'problem': describe(error)}


def main():
    # New files are readable by root only, unless stated otherwise.
    os.umask(0o077)
    command = sys.argv[1]
    if command == 'serve':
        for module in {*COMMANDS.values(), 'serve'}:
            importlib.import_module(module)
        sys.modules['serve'].serve(run)
    elif command in STREAMS:
        getattr(importlib.import_module(STREAMS[command]), command)(read_request())
    else:
        sys.stdout.write(json.dumps(run(command, read_request())) + '\n')


main()
