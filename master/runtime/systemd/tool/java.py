"""Java runtimes: a template's own, and the machine's."""

import os
import subprocess

import places

PATHS = ('/usr/local/bin/java', '/usr/bin/java')


def for_service(id):
    """The `java` that a service gets, and where it was looked for."""
    own = f'{places.files(id)}/jre/bin/java'
    if os.path.isfile(own):
        # Uploads often lose the execute bit; the file in this place is meant to be a program.
        os.chmod(own, 0o700)
        return own
    return _machines_path()


def looked():
    return ["the template's jre/bin/java", *PATHS]


def machines():
    """Path and version of the machine's Java; None when it has none."""
    path = _machines_path()
    return None if path is None else {'path': path, 'version': _version(path)}


def _machines_path():
    for path in PATHS:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _version(path):
    """By the `release` file beside it, which each JDK and JRE brings; starting Java would take a second."""
    release = places.read(f'{os.path.dirname(os.path.realpath(path))}/../release') or ''
    for line in release.splitlines():
        if line.startswith('JAVA_VERSION='):
            return line.split('=', 1)[1].strip('"')
    ran = subprocess.run([path, '-version'], capture_output=True, text=True, timeout=30, check=False)
    words = ran.stderr.split('"')
    return words[1] if len(words) > 1 else None
