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
    Copies the files of a layout into the folder of a reserved service, writes over them what is this service's alone (its
    configuration, what the master hands it), and last the record that makes it startable. After a failure the folder is
    gone.
    """
    id = request['record']['spec']['id']
    with locks.of(id), locks.held('cache', shared=True):
        if places.read(f'{places.notes(id)}/port') != str(request['record']['port']):
            raise Problem('not-reserved', 'somebody else prepared it meanwhile')
        try:
            owner = users.of(request['record']['port'])
            cache.copy_out(request['layout'], places.files(id), owner)
            for file in request['closed']:
                write_closed(places.files(id), file, owner)
            places.replace(f'{places.notes(id)}/service.json', json.dumps(request['record']))
        except BaseException:
            clear(id)
            raise
    return {}


def write_closed(top, file, owner):
    """Writes a file that its owner alone may read: secrets may be in it. All that is there so far is what we laid out."""
    folder = top
    for name in file['path'].split('/')[:-1]:
        folder = f'{folder}/{name}'
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
    target = f'{top}/{file["path"]}'
    # The template's own may have been open to all.
    places.remove(target)
    # Every byte stays as it is, whatever encoding the lines of people are in.
    with open(target, 'x', encoding='latin-1', newline='') as out:
        os.fchmod(out.fileno(), 0o600)
        os.fchown(out.fileno(), owner.pw_uid, owner.pw_gid)
        out.write(file['text'])


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
