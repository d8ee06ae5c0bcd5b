"""Lays out a service's folder, in two calls: the port must be known before its configuration can be written."""

import json
import os
import subprocess

import cache
import locks
import observe
import places
import ports
import units
import users
from problem import Problem


def reserve(request):
    """
    Makes the empty folder of a service and promises it a port. What an earlier attempt left is removed.

    Answers with the port, and whether the layout (the files it is to get) is on this node.
    """
    id = request['id']
    with locks.of(id):
        if units.look_at(id)['alive']:
            raise Problem('alive', 'it still runs')
        clear(id)
        os.mkdir(places.notes(id))
        with locks.held('ports'):
            port = ports.pick(request['firstPort'], request['lastPort'], ports.promised(id))
            places.replace(f'{places.notes(id)}/port', str(port))
    return {'port': port, 'known': cache.is_known(request['layout'])}


def lay_out(request):
    """
    Copies the files of a layout into the folder of a reserved service, writes its configuration over them, and last the
    record that makes it startable. After a failure the folder is gone.
    """
    id = request['record']['spec']['id']
    with locks.of(id), locks.held('cache', shared=True):
        if places.read(f'{places.notes(id)}/port') != str(request['record']['port']):
            raise Problem('not-reserved', 'somebody else prepared it meanwhile')
        try:
            owner = users.of(request['record']['port'])
            cache.copy_out(request['layout'], places.files(id), owner)
            for config in request['configs']:
                # Every byte stays as it is, whatever encoding the lines of people are in.
                with open(f'{places.files(id)}/{config["path"]}', 'w', encoding='latin-1', newline='') as file:
                    # Secrets may be among it, and the template's own file may have been open to all.
                    os.fchmod(file.fileno(), 0o600)
                    os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)
                    file.write(config['text'])
            places.replace(f'{places.notes(id)}/service.json', json.dumps(request['record']))
        except BaseException:
            clear(id)
            raise
    return {}


def clear(id):
    """
    Removes all that is left of a service that does not run. Its record goes first: a removal that is broken off leaves
    nothing that looks startable, or as if it had run.
    """
    places.remove(f'{places.notes(id)}/service.json')
    drop_in = f'{places.DROP_INS}/{units.name(id)}.d'
    folders = [places.files(id), drop_in, places.fallback_notes(id), places.notes(id)]
    left = [folder for folder in folders if os.path.lexists(folder)]
    if left:
        # Not ours to walk through: the service wrote it, as deep as it liked.
        subprocess.run(['rm', '-rf', '--one-file-system', '--', *left], check=True)


def is_prepared_only(id):
    """True for a service that was never started."""
    return observe.start_of(id) is None
