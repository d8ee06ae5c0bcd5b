"""Reads what a service prints as soon as journald has stored it, through the library that journalctl uses."""

import ctypes
import os
import time

import systemctl

LOCAL_ONLY = 1
FIELD = b'MESSAGE'
# Minimum and maximum interval of polling the journal. It is polled because journald notifies readers of new lines
# only every 250 ms. The longer the wait has lasted, the longer the interval is.
LOOK_S = (0.004, 0.05)
LOOK_SHARE = 0.05
# Interval at which the processes of the service are checked.
ALIVE_CHECK_S = 1


class ConsoleLines:
    """The lines that a service prints after this object was created."""

    def __init__(self, id):
        self.id = id
        self.systemd = ctypes.CDLL('libsystemd.so.0')
        self.journal = ctypes.c_void_p()
        self.call('sd_journal_open', ctypes.byref(self.journal), LOCAL_ONLY, on=())
        self.call('sd_journal_add_match', f'_SYSTEMD_UNIT={systemctl.name(id)}'.encode(), ctypes.c_size_t(0))
        self.call('sd_journal_seek_tail')
        # Moves to the last line. At the tail itself, lines that are written before the first read would be skipped.
        if self.call('sd_journal_previous') == 0:
            self.call('sd_journal_seek_head')

    def close(self):
        self.systemd.sd_journal_close(self.journal)

    def within(self, seconds):
        """Yields the lines that arrive within this number of seconds. Ends earlier if the service exits."""
        begun = time.monotonic()
        checked = begun
        while (waited := time.monotonic() - begun) < seconds:
            if self.call('sd_journal_next') > 0:
                yield self.message()
                continue
            if time.monotonic() - checked >= ALIVE_CHECK_S:
                if not systemctl.has_processes(self.id):
                    return
                checked = time.monotonic()
            pause = min(max(waited * LOOK_SHARE, LOOK_S[0]), LOOK_S[1])
            # This call also detects journal files that journald has started in the meantime.
            self.call('sd_journal_wait', ctypes.c_uint64(int(pause * 1e6)))

    def message(self):
        data, length = ctypes.c_void_p(), ctypes.c_size_t()
        found = self.systemd.sd_journal_get_data(self.journal, FIELD, ctypes.byref(data), ctypes.byref(length))
        # The entry may have no message, or may have been removed meanwhile.
        text = ctypes.string_at(data, length.value) if found >= 0 else b''
        return text[len(FIELD) + 1:].decode('utf-8', 'replace')

    def call(self, function, *arguments, on=None):
        """Calls a function of the library. Raises OSError if it fails."""
        target = (self.journal,) if on is None else on
        result = getattr(self.systemd, function)(*target, *arguments)
        if result < 0:
            raise OSError(-result, os.strerror(-result), function)
        return result
