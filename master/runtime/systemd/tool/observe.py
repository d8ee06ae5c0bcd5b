"""Reports records, notes and units of services. The master evaluates them."""

import json
import os

import places
import systemctl


def observe(_request):
    """Returns all services of this node, including running units without a record."""
    # Read notes before units, so that a service that starts in between counts as alive and not as ended.
    services = {id: notes_of(id) for id in places.names(places.NOTES)}
    return {**now(), 'services': with_units(services, systemctl.look())}


def one(id):
    """Returns one service in the form of `observe`."""
    noted = notes_of(id)
    return with_units({id: noted}, {id: systemctl.look_at(id)})[0]


def now():
    return {'boot': places.boot_id(), 'uptime': places.uptime()}


def with_units(services, found):
    alive = {id for id, unit in found.items() if unit['alive']}
    for id in alive:
        # Read the notes again: the service may have been prepared and started since the folders were listed.
        if id not in services:
            services[id] = notes_of(id)
    for id, noted in services.items():
        # The service may have ended in between; its unit writes the exit note before it becomes inactive.
        if noted['exit'] is None and id not in alive:
            noted['exit'] = exit_of(id)
    absent = {'active': 'inactive', 'pid': None, 'alive': False}
    return [
        {'id': id, **noted, 'unit': {key: found.get(id, absent)[key] for key in absent}}
        for id, noted in services.items()
    ]


def notes_of(id):
    recorded = os.path.exists(f'{places.notes(id)}/service.json')
    return {'recorded': recorded, 'record': record_of(id), 'start': start_of(id), 'exit': exit_of(id)}


def record_of(id):
    """Returns the record that `lay_out` wrote last; None if the service is not prepared."""
    text = places.read(f'{places.notes(id)}/service.json')
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


def start_of(id):
    """Returns when the service was started, as written once by its unit (note-start.sh)."""
    lines = (places.read(f'{places.notes(id)}/start') or '').split()
    if len(lines) < 2:
        return None
    return {'boot': lines[0], 'uptime': float(lines[1])}


def exit_of(id):
    """Returns how the service ended, in systemd's terms (note-exit.sh)."""
    for folder in (places.notes(id), places.fallback_notes(id)):
        text = places.read(f'{folder}/exit')
        if text is not None:
            lines = [*text.split('\n'), '', '', '', '']
            return {'result': lines[0], 'code': lines[1], 'status': lines[2], 'oomKills': int(lines[3] or 0)}
    return None
