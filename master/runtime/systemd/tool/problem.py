"""Refusals of commands, with kinds that the master knows."""


class Problem(Exception):
    def __init__(self, kind, why=''):
        super().__init__(kind, why)
        self.kind = kind
        self.why = why
