"""Starts a prepared service once."""

import os

import firewall
import locks
import observe
import places
import prepare
import systemctl
import unit_settings
from machine import java
from problem import Problem


def start(request):
    """Starts the service unless it is running. Returns it in the form of `observe`."""
    id = request['id']
    with locks.of(id):
        unit = systemctl.look_at(id)
        if unit['alive']:
            return {**observe.now(), 'service': observe.one(id)}
        record = observe.record_of(id)
        if record is None:
            raise Problem('not-prepared', 'it was not prepared')
        if not prepare.is_prepared_only(id):
            raise Problem('has-run', 'it has already exited')
        chosen = record['launch'].get('java')
        program = java.for_service(id, chosen)
        if program is None:
            raise Problem('no-java', ', '.join(java.looked() if chosen is None else [chosen]))
        for folder in (places.notes(id), places.fallback_notes(id)):
            places.remove(f'{folder}/exit')
        os.makedirs(places.CONSOLES, exist_ok=True)
        unit_settings.write(id, record, program)
        if unit['active'] == 'failed':
            systemctl.run('reset-failed', systemctl.name(id))
        # Someone may have removed the firewall's rules, for example by reloading rules of their own.
        firewall.keep()
        # A unit that is not loaded yet needs no reload.
        if unit['loaded'] and systemctl.look_at(id)['reload']:
            systemctl.run('daemon-reload')
        try:
            systemctl.run('start', systemctl.name(id))
        except systemctl.Failed as failed:
            # The service may have started and ended immediately; then its notes contain the result.
            if prepare.is_prepared_only(id):
                raise Problem('not-started', str(failed)) from failed
        return {**observe.now(), 'service': observe.one(id)}
