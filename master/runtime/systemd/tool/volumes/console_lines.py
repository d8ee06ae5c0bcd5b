"""Reads what a service prints as soon as journald has stored it, through the library that journalctl uses."""

import ctypes
import os
import time

import systemctl

LOCAL_ONLY = 1
FIELD = b'MESSAGE'
# journald tells readers about new lines only every 250 ms. So the journal is looked at without waiting for that: the longer
# the wait has lasted, the less often.
LOOK_S = (0.004, 0.05)
LOOK_SHARE = 0.05


class ConsoleLines:
    """The lines that a service prints after this object was created."""

    def __init__(self, id):
        self.systemd = ctypes.CDLL('libsystemd.so.0')
        self.journal = ctypes.c_void_p()
        self.call('sd_journal_open', ctypes.byref(self.journal), LOCAL_ONLY, on=())
        self.call('sd_journal_add_match', f'_SYSTEMD_UNIT={systemctl.name(id)}'.encode(), ctypes.c_size_t(0))
        self.call('sd_journal_seek_tail')
        # The position of the tail itself would skip lines that are written before the first read.
        if self.call('sd_journal_previous') == 0:
            self.call('sd_journal_seek_head')

    def close(self):
        self.systemd.sd_journal_close(self.journal)

    def within(self, seconds):
        """Yields further lines for so many seconds, and waits for them."""
        begun = time.monotonic()
        while (waited := time.monotonic() - begun) < seconds:
            if self.call('sd_journal_next') > 0:
                yield self.message()
                continue
            pause = min(max(waited * LOOK_SHARE, LOOK_S[0]), LOOK_S[1])
            # Also notices files that journald has begun meanwhile.
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
