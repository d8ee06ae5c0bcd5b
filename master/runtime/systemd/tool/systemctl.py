"""Interface to systemd for the units of services."""

import os
import subprocess

PREFIX = 'overworld@'
SUFFIX = '.service'
PROPERTIES = 'Id,ActiveState,SubState,MainPID,ControlGroup,NeedDaemonReload'
GONE = ('inactive', 'failed')


def name(id):
    return f'{PREFIX}{id}{SUFFIX}'


def socket(id):
    return f'{PREFIX}{id}.socket'


class Failed(Exception):
    """Raised if systemctl fails, with its error output."""


def run(*arguments):
    """Runs systemctl. Raises Failed if it fails."""
    ran = subprocess.run(['systemctl', *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if ran.returncode != 0:
        raise Failed(ran.stderr.decode(errors='replace').strip() or f'systemctl ended with {ran.returncode}')
    return ran.stdout.decode(errors='replace')


def look(pattern='*'):
    """Returns the units of services by service id. A unit that is not listed is not loaded and does not run."""
    text = run('show', f'--property={PROPERTIES}', '--', name(pattern))
    found = {}
    for block in text.split('\n\n'):
        unit = dict(line.split('=', 1) for line in block.splitlines() if '=' in line)
        id = unit.get('Id', '')[len(PREFIX):-len(SUFFIX)]
        if id:
            found[id] = {
                'loaded': True,
                'active': unit.get('ActiveState', 'inactive'),
                # All processes have exited, and the exit note is being written.
                'noting': unit.get('SubState') == 'stop-post',
                'pid': _number(unit.get('MainPID')) or None,
                'reload': unit.get('NeedDaemonReload') == 'yes',
                'alive': unit.get('ActiveState', 'inactive') not in GONE
                or populated(unit.get('ControlGroup', '')),
            }
    return found


def look_at(id):
    """Returns the unit of one service."""
    gone = {'loaded': False, 'active': 'inactive', 'noting': False, 'pid': None, 'reload': False, 'alive': False}
    # Uses a pattern that matches only this unit, because a pattern, unlike a name, does not make systemd load the
    # unit.
    return look(f'{id[:-1]}[{id[-1]}]').get(id, gone)


def has_processes(id):
    """Returns whether a service has processes, according to the kernel."""
    return populated(f'/overworld.slice/{name(id)}')


def populated(group):
    """
    Returns whether a control group contains a process. If a process survives KILL, for example on a dead disk, systemd
    reports its unit as failed although the process still exists.
    """
    if group in ('', '/'):
        return False
    # The unified hierarchy (cgroup v2), the unified hierarchy beside cgroup v1, and systemd's own hierarchy of cgroup
    # v1.
    for top in ('/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd'):
        for folder, _, _ in os.walk(top + group):
            try:
                with open(f'{folder}/cgroup.procs', encoding='ascii') as file:
                    if file.read(1):
                        return True
            except OSError:
                continue
    return False


def _number(text):
    return int(text) if text is not None and text.isdigit() else 0
