"""
Keeps the server of a service from writing its worlds while its files are copied. The whole pause happens on the node,
so it does not depend on the network. The master sends the commands and the patterns of answers (saving-pause.ts).
"""

import re
import time

import console
from volumes.console_lines import ConsoleLines


class Pause:
    """
    Context manager. The server is asked not to write during its block. If `flushed` is true, the server has written
    its worlds completely.
    """

    def __init__(self, id, asked):
        self.id = id
        self.asked = asked
        self.look = {name: re.compile(pattern) for name, pattern in asked['look'].items()}
        # How the server has answered: off, already-off, unknown (the server lacks the command) or silent.
        self.answer = 'silent'
        self.flushed = False
        self.resumed = False
        self.ms = 0
        self.lines = ConsoleLines(id)

    def begin(self):
        """Sends the commands. The caller has to enter the block next, so that the pause ends in any case."""
        self.begun = time.monotonic()
        try:
            # Both commands are written at once, because a server reads its console only once in a tick.
            console.write(self.id, f"{self.asked['off']['line']}\n{self.asked['flush']['line']}")
        except BaseException:
            self.lines.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.answer in self.asked['resumeAfter']:
            self.resumed = console.write_if_possible(self.id, self.asked['on'])
            self.ms = round((time.monotonic() - self.begun) * 1000, 1)
        self.lines.close()

    def settle(self):
        """Waits until the server has written its worlds, or has not answered in time."""
        kind, text = self.wait_for(self.asked['off'])
        if kind == 'no':
            self.answer = 'unknown'
        elif kind == 'yes':
            already = re.search(self.asked['alreadyOff'], text) is not None
            self.answer = 'already-off' if already else 'off'
            self.flushed = self.wait_for(self.asked['flush'])[0] == 'yes'

    def wait_for(self, expected):
        """Returns `yes` or `no` with the first line that matches, or `silent`."""
        patterns = {kind: re.compile(expected[kind]) for kind in ('yes', 'no')}
        for line in self.lines.within(expected['seconds']):
            for text in self.visible(line):
                for kind, pattern in patterns.items():
                    if pattern.search(text):
                        return kind, text
        return 'silent', ''

    def visible(self, line):
        """
        Splits a line where the cursor moves. Returns the parts without colours and prompts, as a person sees them.
        """
        return [self.look['prompt'].sub('', self.look['controls'].sub('', part)) for part in self.look['moves'].split(line)]

    def facts(self):
        return {'answer': self.answer, 'flushed': self.flushed, 'resumed': self.resumed, 'ms': self.ms}
