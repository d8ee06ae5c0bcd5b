"""
Users of services, `overworld-<port>`: one per port, because a port belongs to only one service at a time. A service
can therefore neither kill nor inspect another one, nor take over its port. All users share a group that owns nothing.
The journal is filtered by this group.
"""

import pwd
import subprocess

import places

PREFIX = 'overworld'
# A user's id is this number plus the port. The ids are above those that systems assign, and below those reserved for
# containers.
FIRST_ID = 65_536
# The default ports of masters. Users of other ports are created when needed.
USUAL_PORTS = range(25_565, 26_000)


def make_usual():
    # On the master's machine, users are created only when needed. Otherwise, its admin would have to look at hundreds
    # of users.
    if places.MASTER_FOLDERS is not None:
        return
    known = {user.pw_name for user in pwd.getpwall()}
    make([port for port in USUAL_PORTS if name_of(port) not in known])


def of(port):
    """Returns the user of the service with this port."""
    try:
        return pwd.getpwnam(name_of(port))
    except KeyError:
        make([port])
        return pwd.getpwnam(name_of(port))


def make(ports):
    """Creates users with a single call, because each call rewrites the user database."""
    if not ports:
        return
    lines = [f'u {name_of(port)} {FIRST_ID + port}:{places.USER} "Overworld service" {places.SERVICES}\n' for port in ports]
    subprocess.run(['systemd-sysusers', '-'], input=''.join(lines), text=True, capture_output=True, check=True)


def name_of(port):
    return f'{PREFIX}-{port}'
