"""Finds Java runtimes: the template's own and the machine's."""

import os
import subprocess

import places

PATHS = ('/usr/local/bin/java', '/usr/bin/java')


def for_service(id):
    """Returns the path of the `java` for a service; None if there is none."""
    own = f'{places.files(id)}/jre/bin/java'
    if os.path.isfile(own):
        # Uploads often lose the execute bit, and the file at this path is meant to be a program.
        os.chmod(own, 0o700)
        return own
    return _machines_path()


def looked():
    return ["the template's jre/bin/java", *PATHS]


def machines():
    """Returns path and version of the machine's Java; None if it has none."""
    path = _machines_path()
    return None if path is None else {'path': path, 'version': _version(path)}


def _machines_path():
    for path in PATHS:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _version(path):
    """Reads the version from the `release` file of the JDK or JRE, because starting Java would take a second."""
    release = places.read(f'{os.path.dirname(os.path.realpath(path))}/../release') or ''
    for line in release.splitlines():
        if line.startswith('JAVA_VERSION='):
            return line.split('=', 1)[1].strip('"')
    ran = subprocess.run([path, '-version'], capture_output=True, text=True, timeout=30, check=False)
    words = ran.stderr.split('"')
    return words[1] if len(words) > 1 else None
