"""
Answers many calls over one connection, so that Python starts only once. Each call runs in its own process, forked
from this one, so that calls run in parallel, continue if the connection breaks, and do not affect each other.

    in:   {"call": 7, "command": "observe", "seconds": 60, "request": ...}    one line each
    out:  {"call": 7, "answer": ...}, {"call": 7, "problem": ...}, or {"call": 7, "failed": "the reason"}

It exits at the end of its input, because its input ends when the connection ends.
"""

import fcntl
import gc
import json
import os
import select
import signal

# Maximum number of parallel calls; others wait in the pipe.
MOST = 128
CHUNK = 1 << 20
# Size limit of an answer. The master does not accept an answer above this limit (tool-session.ts).
MAX_ANSWER_MIB = 16


class Server:
    def __init__(self, run):
        self.run = run
        self.children = {}
        # Locked while writing an answer, which may be longer than the pipe's buffer.
        self.turn = os.memfd_create('turn')
        self.out = os.dup(1)
        # Child processes of commands must neither write to our answers nor read our requests.
        self.requests = os.dup(0)
        nothing = os.open('/dev/null', os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        self.woken, wake = os.pipe()
        for end in (self.woken, wake):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def serve(self):
        held = bytearray()
        while True:
            wanted = [self.woken] if len(self.children) >= MOST else [self.woken, self.requests]
            ready, _, _ = select.select(wanted, [], [])
            if self.woken in ready:
                os.read(self.woken, CHUNK)
                self.reap()
            if self.requests not in ready:
                continue
            piece = os.read(self.requests, CHUNK)
            if piece == b'':
                return
            held += piece
            if b'\n' in piece:
                *lines, rest = held.split(b'\n')
                held = bytearray(rest)
                for line in lines:
                    self.begin(json.loads(line))

    def begin(self, call):
        pid = os.fork()
        if pid > 0:
            self.children[pid] = call['call']
            return
        # The forked process must never return from here.
        try:
            self.answer(call)
        finally:
            os._exit(0)

    def answer(self, call):
        os.close(self.requests)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # After its time limit the call is killed with all its children, because the master no longer waits for it.
        os.setpgid(0, 0)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
        signal.alarm(call['seconds'])
        try:
            reply = self.run(call['command'], call['request'])
        except BaseException as error:
            reply = {'failed': f'{type(error).__name__}: {error}'}
        # Writing the answer has a time limit of its own. A kill within a line ends the session, but it happens only
        # if the master does not read the answer.
        signal.alarm(call['seconds'])
        self.say({'call': call['call'], **reply})

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            call = self.children.pop(pid, None)
            if status != 0 and call is not None:
                self.say({'call': call, 'failed': f'it was ended by signal {status & 0x7F}'})

    def say(self, reply):
        text = memoryview(line_of(reply))
        fcntl.lockf(self.turn, fcntl.LOCK_EX)
        try:
            while len(text) > 0:
                text = text[os.write(self.out, text):]
        finally:
            fcntl.lockf(self.turn, fcntl.LOCK_UN)


def line_of(reply):
    line = f'{json.dumps(reply)}\n'.encode()
    if len(line) <= MAX_ANSWER_MIB << 20:
        return line
    why = f'its answer is longer than {MAX_ANSWER_MIB} MiB'
    return f'{json.dumps({"call": reply["call"], "failed": why})}\n'.encode()


def serve(run):
    # Keeps the loaded modules out of garbage collection, so that all forked processes share their memory.
    gc.freeze()
    Server(run).serve()
