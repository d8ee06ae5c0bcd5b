"""Removes the remains of services that do not run."""

import locks
import observe
import places
import prepare
import systemctl


def forget(request):
    """Removes the folder of an ended service. Does nothing if it is running or does not exist."""
    id = request['id']
    with locks.of(id):
        unit = systemctl.look_at(id)
        if unit['alive']:
            return {'removed': False}
        prepare.clear(id)
        if unit['active'] == 'failed':
            systemctl.run('reset-failed', systemctl.name(id))
        locks.drop(id)
    return {'removed': True}


def sweep(_request):
    """Removes services that were prepared but never started, and the remains of interrupted removals."""
    alive = {id for id, unit in systemctl.look().items() if unit['alive']}
    for id in {*places.names(places.NOTES), *places.names(places.SERVICES)}:
        with locks.of(id, wait=False) as ours:
            started = observe.record_of(id) is not None and observe.start_of(id) is not None
            if ours and not started and id not in alive:
                prepare.clear(id)
    return {}
