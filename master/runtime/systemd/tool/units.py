"""systemd, as far as services are concerned."""

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
    """A systemctl that was refused; its words."""


def systemctl(*arguments):
    """Runs systemctl. Raises Failed with what it said."""
    ran = subprocess.run(['systemctl', *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if ran.returncode != 0:
        raise Failed(ran.stderr.decode(errors='replace').strip() or f'systemctl ended with {ran.returncode}')
    return ran.stdout.decode(errors='replace')


def look(pattern='*'):
    """What systemd knows of the services' units, by service id. One that is not there is not loaded: it does not run."""
    text = systemctl('show', f'--property={PROPERTIES}', '--', name(pattern))
    found = {}
    for block in text.split('\n\n'):
        unit = dict(line.split('=', 1) for line in block.splitlines() if '=' in line)
        id = unit.get('Id', '')[len(PREFIX):-len(SUFFIX)]
        if id:
            found[id] = {
                'loaded': True,
                'active': unit.get('ActiveState', 'inactive'),
                # All of it has ended, and its end is being noted.
                'noting': unit.get('SubState') == 'stop-post',
                'pid': _number(unit.get('MainPID')) or None,
                'reload': unit.get('NeedDaemonReload') == 'yes',
                'alive': unit.get('ActiveState', 'inactive') not in GONE
                or populated(unit.get('ControlGroup', '')),
            }
    return found


def look_at(id):
    """The unit of one service."""
    gone = {'loaded': False, 'active': 'inactive', 'noting': False, 'pid': None, 'reload': False, 'alive': False}
    # As a pattern that only it fits: those look at what is loaded, and load nothing.
    return look(f'{id[:-1]}[{id[-1]}]').get(id, gone)


def has_processes(id):
    """Whether a service has any, as the kernel knows it."""
    return populated(f'/overworld.slice/{name(id)}')


def populated(group):
    """
    True while a control group holds a process. systemd gives up on one that not even KILL ends (a dead disk): its
    unit has failed then, and its process is still there.
    """
    if group in ('', '/'):
        return False
    # The unified hierarchy, systemd's own beside cgroup v1, and that of v1.
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
