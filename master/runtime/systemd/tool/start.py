"""Starts a prepared service once."""

import os

import java
import locks
import observe
import places
import prepare
import units
from problem import Problem


def start(request):
    """Starts the service unless it is running. Returns it in the form of `observe`."""
    id = request['id']
    with locks.of(id):
        unit = units.look_at(id)
        if unit['alive']:
            return {**observe.now(), 'service': observe.one(id)}
        record = observe.record_of(id)
        if record is None:
            raise Problem('not-prepared', 'it was not prepared')
        if not prepare.is_prepared_only(id):
            raise Problem('has-run', 'it has run and ended')
        program = java.for_service(id)
        if program is None:
            raise Problem('no-java', ', '.join(java.looked()))
        for folder in (places.notes(id), places.fallback_notes(id)):
            places.remove(f'{folder}/exit')
        os.makedirs(places.CONSOLES, exist_ok=True)
        write_drop_in(id, record, program)
        if unit['active'] == 'failed':
            units.systemctl('reset-failed', units.name(id))
        # A unit that is not loaded yet needs no reload.
        if unit['loaded'] and units.look_at(id)['reload']:
            units.systemctl('daemon-reload')
        try:
            units.systemctl('start', units.name(id))
        except units.Failed as failed:
            # The service may have started and ended immediately; then its notes contain the result.
            if prepare.is_prepared_only(id):
                raise Problem('not-started', str(failed)) from failed
        return {**observe.now(), 'service': observe.one(id)}


def write_drop_in(id, record, program):
    """Writes the settings of one service in memory: after a reboot no service runs, and the master decides again."""
    folder = f'{places.DROP_INS}/{units.name(id)}.d'
    os.makedirs(folder, mode=0o755, exist_ok=True)
    for path in (places.DROP_INS, folder):
        os.chmod(path, 0o755)
    launch, home = record['launch'], places.files(id)
    environment = {**launch['environment'], 'HOME': home, 'LANG': 'C.UTF-8'}
    # By default Java takes the home folder from the user database.
    words = [program, f'-Duser.home={home}', *launch['arguments']]
    lines = [
        '[Service]',
        f'ExecStart={" ".join(quoted(word) for word in words)}',
        f'User={owner_of(home)}',
        f'SocketBindAllow={record["port"]}',
        f'MemoryMax={launch["memoryMaxMb"]}M',
        'MemorySwapMax=0',
        *(f'Environment={quoted(f"{name}={value}")}' for name, value in environment.items()),
        '',
    ]
    places.replace(f'{folder}/service.conf', '\n'.join(lines), 0o644)


def owner_of(folder):
    """Returns the owner of the files, because an older master may have created them for another user."""
    owner = os.stat(folder).st_uid
    if owner == 0:
        raise Problem('not-prepared', 'its folder is of no service')
    return owner


def quoted(word):
    """Quotes a word for a unit file without specifiers, variables or escapes (systemd.syntax(7), systemd.service(5))."""
    escaped = word.replace('\\', '\\\\').replace('"', '\\"').replace('%', '%%').replace('$', '$$')
    # A line end would start another setting, which systemd would apply as root.
    for ends, letter in (('\n', 'n'), ('\r', 'r'), ('\t', 't')):
        escaped = escaped.replace(ends, f'\\{letter}')
    return f'"{escaped}"'
