"""
Snapshots of the persistent files of services. The master stores their contents, so that a service can start from them
on any node.

    notes/<id>/snapshot/<n>        copies of the files of a running service that have changed
    notes/<id>/stamps.json         path -> [stamp, sha256] of files whose content the master has
    /run/overworld/snapshots/<id>  what the last snapshot found; in memory, so that a full disk does not prevent a save

The folder of a service belongs to the service's user, who can change everything in it at any moment. Therefore no
link is followed there, and files of other users are not read.
"""

import contextlib
import errno
import json
import os
import re
import stat
import subprocess
import time

import locks
import observe
import places
import systemctl
from layouts import cache, tidy
from problem import Problem, describe
from volumes.pause import Pause

SNAPSHOTS = f'{places.RUN}/snapshots'
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe at the path must not block.
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_DEPTH = 64
MAX_FILES = 200_000
# Size limit of all paths together, as JSON. The service chooses their names, so the list of its files needs a limit.
# The master accepts lists of this size (snapshot-list-reader.ts).
MAX_PATH_MIB = 32
MAX_SKIPPED = 100
# A second change within one time step of the file system can leave the stamp unchanged.
STAMP_STEP_NS = 50_000_000


def add_paths(request):
    """
    Makes a service also keep the files at the given persistent paths, each with its regular expression. The record
    keeps these paths until the service is removed. Does nothing if the service has no record.
    """
    id = request['id']
    with locks.of(id):
        record = observe.record_of(id)
        if record is None:
            return {}
        paths, patterns = record['spec'].setdefault('persistentPaths', []), record.setdefault('persistent', [])
        for path, pattern in zip(request['paths'], request['patterns']):
            if path not in paths:
                paths.append(path)
                patterns.append(pattern)
        places.replace(f'{places.notes(id)}/service.json', json.dumps(record))
    return {}


def take(request):
    """
    Finds the persistent files of a service. If the service runs, copies the files that have changed. If `pause` is
    set, asks the server to write nothing during the snapshot (pause.py). Returns whether there is anything to keep;
    how the server was paused, if it was; and the problem with which a snapshot during a pause failed.
    """
    id = request['id']
    nothing = {'found': False, 'pause': None, 'problem': None}
    if not has_unsaved(id):
        return nothing
    # A call whose connection broke continues, and must not end the pause of the next call. The file of this lock is
    # never removed. Persistent services reuse their ids, so there are only a few such files.
    with locks.held(f'snapshot-{id}'), removing_copies(id):
        with locks.of(id):
            patterns, start = patterns_of(id), observe.start_of(id)
            if not patterns or start is None:
                return nothing
            remove_copies(id)
            is_alive = systemctl.look_at(id)['alive']
            if is_alive:
                os.mkdir(copies(id))
            is_paused = is_alive and request['pause'] is not None
            walk = Walk(id, patterns, copies(id) if is_alive else None, stamps_of(id), is_paused)
            walk.run()
            if not is_paused:
                walk.store()
                return {'found': True, 'pause': None, 'problem': None}
        return {'found': True, **take_paused(walk, start, Pause(id, request['pause']))}


def take_paused(walk, start, pause):
    """Takes the snapshot during a pause. Files that have not changed since an earlier walk are not copied again."""
    problem = None
    pause.begin()
    try:
        with removing_copies(walk.id):
            with pause:
                pause.settle()
                # The service is locked only now, so that it can be stopped while its server does not answer.
                with locks.of(walk.id):
                    if observe.start_of(walk.id) != start:
                        raise Problem('changed', 'it was removed meanwhile')
                    walk.repeat()
            walk.store()
    except Exception as error:
        # The master needs to know how the pause ended, too.
        problem = describe(error)
    return {'pause': pause.facts(), 'problem': problem}


def read(request):
    """Computes the missing hashes of the last snapshot's files. `send_list` then sends the list of these files."""
    id = request['id']
    found = list_of(id)
    for file in found['files']:
        if file['hash'] is None:
            with open_content(id, file) as content:
                file['hash'] = cache.hash_of(content.fileno())
    places.replace(list_path(id), json.dumps(found))
    return {}


def end(request):
    """Ends the last snapshot. If the master has stored its files, the next snapshot need not read them again."""
    id = request['id']
    # A call to `take` whose connection broke continues, and then leaves its copies.
    with locks.held(f'snapshot-{id}'), locks.of(id):
        if observe.record_of(id) is None:
            return {}
        if request['stored']:
            known = [file for file in list_of(id)['files'] if file['hash'] is not None and file['reliable']]
            write_stamps(id, {file['path']: [file['stamp'], file['hash']] for file in known})
        places.remove(list_path(id))
        remove_copies(id)
    return {}


def note_placed(id, record, entries, closed):
    """Notes the stamps of files that were just put into a service's folder, so that they need not be read."""
    patterns = patterns_in(record)
    if not patterns:
        return
    own = {file['path'] for file in closed}
    placed = {path: hash for path, _, _, hash in entries if hash and path not in own and matches(patterns, path)}
    # Nothing else writes to the folder before the service starts, so these stamps are reliable.
    stamps = {path: [stamp_of(os.lstat(f'{places.files(id)}/{path}')), hash] for path, hash in placed.items()}
    write_stamps(id, stamps)


def has_unsaved(id):
    """Returns whether a service may have data that was not saved yet: it was started and has persistent paths."""
    return bool(patterns_of(id)) and observe.start_of(id) is not None


class Walk:
    """Finds the persistent files in a service's folder without following links."""

    def __init__(self, id, patterns, copies_to, stamps, is_repeated=False):
        self.id = id
        self.patterns = patterns
        self.copies_to = copies_to
        self.stamps = stamps
        self.is_repeated = is_repeated
        self.copier = cache.Copier(tidy.SPARE_BYTES)
        self.copied = {}
        self.clear()

    def clear(self):
        self.files = []
        self.path_bytes = 0
        self.skipped = []

    def repeat(self):
        """Finds the files again. Uses the existing copies of files that have not changed since they were copied."""
        self.is_repeated = False
        self.clear()
        self.run()

    def store(self):
        os.makedirs(SNAPSHOTS, mode=0o700, exist_ok=True)
        places.replace(list_path(self.id), json.dumps({'files': self.files, 'skipped': self.skipped}))

    def run(self):
        folder = os.open(places.files(self.id), FOLDER)
        try:
            self.owner = os.fstat(folder).st_uid
            self.visit(folder, '', 0)
        finally:
            os.close(folder)

    def visit(self, folder, prefix, depth):
        if depth > MAX_DEPTH:
            raise Problem('changed', f'{prefix} is nested deeper than {MAX_DEPTH} folders')
        with os.scandir(folder) as listing:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing]
        for name, is_folder in names:
            path = f'{prefix}{name}'
            try:
                if is_folder:
                    self.enter(folder, name, path, depth)
                elif matches(self.patterns, path):
                    self.look(folder, name, path)
            except FileNotFoundError:
                # The server has removed it meanwhile.
                continue

    def enter(self, folder, name, path, depth):
        inner = os.open(name, FOLDER, dir_fd=folder)
        try:
            self.visit(inner, f'{path}/', depth + 1)
        finally:
            os.close(inner)

    def look(self, folder, name, path):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != self.owner or not is_utf8(path):
            if len(self.skipped) < MAX_SKIPPED:
                self.skipped.append(path.encode('utf-8', 'replace').decode('utf-8'))
            return
        if len(self.files) >= MAX_FILES:
            raise Problem('changed', f'it has more than {MAX_FILES} persistent files')
        self.path_bytes += len(json.dumps(path))
        if self.path_bytes > MAX_PATH_MIB << 20:
            raise Problem('changed', f'the paths of its persistent files have more than {MAX_PATH_MIB} MiB')
        stamp = stamp_of(status)
        known = self.stamps.get(path)
        file = {
            'path': path,
            'size': status.st_size,
            'mode': stat.S_IMODE(status.st_mode) & 0o777,
            'modifiedNs': status.st_mtime_ns,
            'stamp': stamp,
            'reliable': time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > STAMP_STEP_NS,
            'hash': known[1] if known is not None and known[0] == stamp else None,
            'copy': None,
        }
        if file['hash'] is None and self.copies_to is not None:
            self.copy(folder, name, file)
        self.files.append(file)

    def copy(self, folder, name, file):
        """Copies a file, unless its copy is up to date. Notes the copy and its size."""
        before = self.copied.get(file['path'])
        if before is not None and before['reliable'] and before['stamp'] == file['stamp']:
            file['copy'], file['size'] = before['copy'], before['size']
            return
        file['copy'] = str(len(self.copied)) if before is None else before['copy']
        with open(os.open(name, READ, dir_fd=folder), 'rb', buffering=0) as source:
            if self.is_repeated:
                # After this flush, the next write changes the stamp, even if the server writes to a file that is
                # mapped into its memory.
                os.fsync(source.fileno())
            with open(f'{self.copies_to}/{file["copy"]}', 'wb', buffering=0) as copied:
                self.copier.copy(source.fileno(), copied.fileno(), os.fstat(source.fileno()).st_size)
                file['size'] = os.fstat(copied.fileno()).st_size
        self.copied[file['path']] = file


def open_content(id, file):
    """Opens a content of the last snapshot: the copy, or the file itself."""
    if file['copy'] is not None:
        return open(f'{copies(id)}/{file["copy"]}', 'rb', buffering=0)
    folder = os.open(places.files(id), FOLDER)
    try:
        *parents, name = file['path'].split('/')
        for parent in parents:
            inner = os.open(parent, FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return open(os.open(name, READ, dir_fd=folder), 'rb', buffering=0)
    finally:
        os.close(folder)


def list_of(id):
    text = cache.read_whole(list_path(id))
    if text is None:
        raise Problem('changed', 'there is no snapshot of its files')
    return json.loads(text)


def list_path(id):
    return f'{SNAPSHOTS}/{id}'


def copies(id):
    return f'{places.notes(id)}/snapshot'


def remove_copies(id):
    if os.path.lexists(copies(id)):
        subprocess.run(['rm', '-rf', '--one-file-system', '--', copies(id)], check=True)


@contextlib.contextmanager
def removing_copies(id):
    """Removes the copies if the snapshot fails. Otherwise, partial copies would keep a full disk full."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            remove_copies(id)
        raise


def stamps_of(id):
    try:
        return json.loads(cache.read_whole(stamps_path(id)) or '{}')
    except ValueError:
        # Truncated by a crash of the machine. Every file is read again.
        return {}


def write_stamps(id, stamps):
    try:
        places.replace(stamps_path(id), json.dumps(stamps))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        # Without stamps, the next save reads every file.
        with contextlib.suppress(OSError):
            places.remove(stamps_path(id))


def stamps_path(id):
    return f'{places.notes(id)}/stamps.json'


def stamp_of(status):
    return f'{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}'


def patterns_of(id):
    return patterns_in(observe.record_of(id) or {})


def patterns_in(record):
    """Returns the regular expressions of a service's persistent paths, which the master wrote into its record."""
    return [re.compile(pattern, re.DOTALL) for pattern in record.get('persistent', [])]


def matches(patterns, path):
    return any(pattern.fullmatch(path) for pattern in patterns)


def is_utf8(path):
    try:
        path.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True
