"""
Users of services: one for each port, as no two services have one at the same time. So a service can neither end nor
look into another one, nor take over its port. They share a group, which owns nothing: the journal knows them by it.
"""

import pwd
import subprocess

import places

# With the port added: above what systems give out by themselves, below what they keep for containers.
FIRST_ID = 65_536
# The ports that masters use. Others are made users of when one is needed.
USUAL_PORTS = range(25_565, 26_000)


def make_usual():
    known = {user.pw_name for user in pwd.getpwall()}
    make([port for port in USUAL_PORTS if name_of(port) not in known])


def of(port):
    """The user of whichever service has this port."""
    try:
        return pwd.getpwnam(name_of(port))
    except KeyError:
        make([port])
        return pwd.getpwnam(name_of(port))


def make(ports):
    """All at once: each change writes the list of users anew."""
    if not ports:
        return
    lines = [f'u {name_of(port)} {FIRST_ID + port}:{places.USER} "Overworld service" {places.SERVICES}\n' for port in ports]
    subprocess.run(['systemd-sysusers', '-'], input=''.join(lines), text=True, capture_output=True, check=True)


def name_of(port):
    return f'{places.USER}-{port}'
