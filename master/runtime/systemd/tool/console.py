"""Console of a service: a pipe that systemd keeps open, so that the server never reads an end of file."""

import errno
import os
import stat

import places
import systemctl
from problem import Problem


def command(request):
    """Writes one line without waiting for the server to read it."""
    id = request['id']
    if not systemctl.look_at(id)['alive']:
        raise Problem('no-process', 'it does not run')
    write(id, request['line'])
    return {}


def write(id, line):
    try:
        pipe = os.open(places.console(id), os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise Problem('no-process', str(error)) from error
    try:
        if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
            raise Problem('no-process', 'its console is not a pipe')
        # Atomic, because it is shorter than PIPE_BUF (the admin API accepts 1,000 characters).
        os.write(pipe, f'{line}\n'.encode())
    except BlockingIOError as error:
        raise Problem('console-blocked', 'its console is full') from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise Problem('no-process', str(error)) from error
        raise
    finally:
        os.close(pipe)


def write_if_possible(id, line):
    """Returns whether the line was written."""
    try:
        write(id, line)
    except Problem:
        return False
    return True
