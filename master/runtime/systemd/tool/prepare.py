"""Creates a service's folder in two calls, because its configuration can only be written once the port is known."""

import collections
import json
import os
import subprocess

import firewall
import locks
import observe
import places
import ports
import systemctl
import users
from layouts import cache
from problem import Problem
from volumes import snapshot


def reserve(request):
    """
    Creates the empty folder of a service and reserves a port. Removes the remains of an earlier attempt.

    Returns the port, and whether the layout (the service's files) is cached on this node.
    """
    id = request['id']
    with locks.of(id):
        if systemctl.look_at(id)['alive']:
            raise Problem('alive', 'it still runs')
        if snapshot.has_unsaved(id):
            raise Problem('unsaved', 'its folder has data that is not saved')
        clear(id)
        os.mkdir(places.notes(id))
        with locks.held('ports'):
            port = ports.pick(request['firstPort'], request['lastPort'], {*ports.promised(id), *request.get('leaveFree', ())})
            places.replace(f'{places.notes(id)}/port', str(port))
    return {'port': port, 'known': cache.is_known(request['layout'])}


def lay_out(request):
    """
    Copies the files of a layout into the folder of a reserved service. Then writes the service's own files
    (configuration and files of the master). Finally writes the record that makes the service startable. Removes the
    folder if this fails.
    """
    id = request['record']['spec']['id']
    with locks.of(id), locks.held('cache', shared=True):
        if places.read(f'{places.notes(id)}/port') != str(request['record']['port']):
            raise Problem('not-reserved', 'another call prepared it meanwhile')
        try:
            owner = owner_of(request['record']['port'], request['isGame'])
            placed = cache.copy_out(request['layout'], places.files(id), owner)
            for file in request['closed']:
                write_closed(places.files(id), file, owner)
            snapshot.note_placed(id, request['record'], placed, request['closed'])
            places.replace(f'{places.notes(id)}/service.json', json.dumps(request['record']))
        except BaseException:
            clear(id)
            raise
    return {}


Owner = collections.namedtuple('Owner', ('pw_uid', 'pw_gid'))


def owner_of(port, is_game):
    """Returns user and group of a service. The unit runs as this user and this group (unit_settings.py)."""
    user = users.of(port)
    group = firewall.group_id() if is_game else None
    return Owner(user.pw_uid, user.pw_gid if group is None else group)


def write_closed(top, file, owner):
    """
    Writes a file that only its owner can read, because it may contain secrets. At this moment, the folder contains
    only files that the master has sent, so no path contains a link.
    """
    folder = top
    for name in file['path'].split('/')[:-1]:
        folder = f'{folder}/{name}'
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
    target = f'{top}/{file["path"]}'
    # The template's file may have been readable by everyone.
    places.remove(target)
    # Preserves every byte, whatever the encoding of the template's lines is.
    with open(target, 'x', encoding='latin-1', newline='') as out:
        os.fchmod(out.fileno(), 0o600)
        os.fchown(out.fileno(), owner.pw_uid, owner.pw_gid)
        out.write(file['text'])


def clear(id):
    """
    Removes the remains of a service that does not run. The record is removed first, so that an interrupted removal
    leaves nothing that looks like a service that can start or has run.
    """
    places.remove(f'{places.notes(id)}/service.json')
    drop_in = f'{places.DROP_INS}/{systemctl.name(id)}.d'
    places.remove(snapshot.list_path(id))
    folders = [places.files(id), drop_in, places.fallback_notes(id), places.notes(id)]
    left = [folder for folder in folders if os.path.lexists(folder)]
    if left:
        # rm handles any nesting; the service may have created folders of any depth.
        subprocess.run(['rm', '-rf', '--one-file-system', '--', *left], check=True)


def is_prepared_only(id):
    """Returns whether the service was never started."""
    return observe.start_of(id) is None
