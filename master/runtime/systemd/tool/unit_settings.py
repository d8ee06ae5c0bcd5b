"""Settings of one service's unit: its command, user, port and limits."""

import os

import places
import systemctl
from problem import Problem

# Limits of the time that a service gets to stop when the node shuts down (s). The upper limit lets the node reboot even
# if a service hangs.
SHORTEST_SHUTDOWN_S = 15
LONGEST_SHUTDOWN_S = 300
# Stop timeout of a service that an older master prepared (s): the default of `stopTimeout`.
DEFAULT_STOP_S = 30


def write(id, record, program):
    """
    Writes the settings of one service to /run, which a reboot clears. After a reboot no service runs, and the master
    decides again.
    """
    folder = f'{places.DROP_INS}/{systemctl.name(id)}.d'
    os.makedirs(folder, mode=0o755, exist_ok=True)
    for path in (places.DROP_INS, folder):
        os.chmod(path, 0o755)
    launch, home = record['launch'], places.files(id)
    user, group = owner_of(home)
    environment = {**launch['environment'], 'HOME': home, 'LANG': 'C.UTF-8'}
    # By default Java takes the home folder from the user database.
    words = [program, f'-Duser.home={home}', *launch['arguments']]
    variables = record['spec'].get('environment', [])
    lines = [
        '[Service]',
        f'ExecStart={" ".join(quoted(word) for word in words)}',
        f'User={user}',
        # The node's firewall recognizes game servers by this group. systemd can enter the folder only as this group.
        f'Group={group}',
        f'SocketBindAllow={record["port"]}',
        f'MemoryMax={launch["memoryMaxMb"]}M',
        'MemorySwapMax=0',
        f'TimeoutStopSec={shutdown_s(record["spec"])}',
        *(f'Environment={quoted(f"{name}={value}")}' for name, value in environment.items()),
        *([f'EnvironmentFile={write_variables(id, variables)}'] if variables else []),
        '',
    ]
    places.replace(f'{folder}/service.conf', '\n'.join(lines), 0o644)


def shutdown_s(spec):
    """Returns how long the service may take to stop when the node shuts down: the stop timeout, within limits (s)."""
    return min(max(spec.get('stopTimeoutS', DEFAULT_STOP_S), SHORTEST_SHUTDOWN_S), LONGEST_SHUTDOWN_S)


def write_variables(id, variables):
    """
    Writes the template's variables to a file that only root can read, because they may be secrets. The file with the
    unit's settings can be read by everyone. Returns the path of the written file. Quotes and escapes as in
    systemd.exec(5), EnvironmentFile=.
    """
    path = f'{places.notes(id)}/environment'
    lines = []
    for variable in variables:
        value = variable['value']
        for sign in ('\\', '"', '`', '$'):
            value = value.replace(sign, f'\\{sign}')
        lines.append(f'{variable["name"]}="{value}"\n')
    places.replace(path, ''.join(lines))
    return path


def owner_of(folder):
    """
    Returns user and group of the files. They are read from the files, because an older master may have set others.
    """
    owner = os.stat(folder)
    if 0 in (owner.st_uid, owner.st_gid):
        raise Problem('not-prepared', 'its folder does not belong to a service')
    return owner.st_uid, owner.st_gid


def quoted(word):
    """
    Quotes a word for a unit file, so that systemd does not expand anything in it (systemd.syntax(7),
    systemd.service(5)).
    """
    escaped = word.replace('\\', '\\\\').replace('"', '\\"').replace('%', '%%').replace('$', '$$')
    # A line end would start another setting, which systemd would apply as root.
    for ends, letter in (('\n', 'n'), ('\r', 'r'), ('\t', 't')):
        escaped = escaped.replace(ends, f'\\{letter}')
    return f'"{escaped}"'
