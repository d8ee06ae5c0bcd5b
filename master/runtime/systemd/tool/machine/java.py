"""Finds and installs Java runtimes: the template's own, the machine's, and those that the master has sent."""

import glob
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys

import locks
import places
from problem import Problem

PATHS = ('/usr/local/bin/java', '/usr/bin/java')
# Where Debian installs several versions side by side.
SYSTEM = '/usr/lib/jvm'
# Versions that the master has sent. Services can read them.
SENT = places.DATA + '/java'
CHUNK = 1 << 20
CONFIGURE = ['timeout', '240', 'dpkg', '--force-confdef', '--force-confold', '--configure', '-a']
APT = ['apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=15']


def for_service(id, chosen):
    """
    Returns the path of the `java` for a service; None if there is none.

    chosen: the path that the master has chosen; None for services that an older master has prepared
    """
    own = f'{places.files(id)}/jre/bin/java'
    if os.path.isfile(own):
        # Uploads often lose the execute bit, and the file at this path is meant to be a program.
        if not os.stat(own).st_mode & 0o001:
            os.chmod(own, 0o700)
        return own
    if chosen is not None:
        return chosen if _is_program(chosen) else None
    return _machines_path()


def looked():
    return ["the template's jre/bin/java", *PATHS]


def machines():
    """Returns path and version of the machine's Java; None if it has none."""
    path = _machines_path()
    return None if path is None else {'path': path, 'version': _version(path)}


def _machines_path():
    return next((path for path in PATHS if _is_program(path)), None)


def _is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def java_list(_):
    """Returns the Java runtimes of the machine, its default first, and its architecture."""
    default = _machines_path()
    found = {}
    others = sorted([*glob.glob(f'{SYSTEM}/*/bin/java'), *glob.glob(f'{SENT}/*/bin/java')])
    for path in [*([] if default is None else [default]), *others]:
        real = os.path.realpath(path)
        if real not in found and not os.path.dirname(path).endswith('.part/bin') and _is_program(path):
            found[real] = {'path': path, 'version': _version(path)}
    return {'runtimes': list(found.values()), 'architecture': platform.machine()}


def java_package(request):
    """
    Installs a version from the packages of the system. Returns whether it was installed, and the reason if it was
    not.
    """
    name = f'openjdk-{request["feature"]}-jre-headless'
    with locks.held('java'):
        # Without NEEDRESTART_SUSPEND, Ubuntu's needrestart would restart running services.
        env = {**os.environ, 'LC_ALL': 'C', 'DEBIAN_FRONTEND': 'noninteractive', 'NEEDRESTART_SUSPEND': '1'}
        run = {'capture_output': True, 'text': True, 'check': False, 'env': env}
        # After a reset during an installation, apt refuses to install anything until dpkg has finished that installation.
        subprocess.run(CONFIGURE, **run)
        subprocess.run([*APT, 'update'], **run)
        if not subprocess.run(['apt-cache', '-q', 'madison', name], **run).stdout.strip():
            return {'installed': False, 'why': 'the system offers no package of it'}
        before = os.path.realpath(PATHS[1]) if os.path.exists(PATHS[1]) else None
        done = subprocess.run([*APT, 'install', '--no-install-recommends', name], **run)
        if before is not None:
            # Other services keep the default; the package would make the newest version the default.
            subprocess.run(['update-alternatives', '--set', 'java', before], **run)
    errors = [line for line in done.stderr.splitlines() if re.match(r'(E|W|Err)[: ]', line)]
    why = errors[-1] if errors else f'apt-get exited with {done.returncode}'
    return {'installed': done.returncode == 0, 'why': why}


def java_store(request):
    """
    Receives the archive of a version, verifies its hash, unpacks it to a folder `.part`, and then renames this
    folder.
    """
    name, size, sha256 = request['name'], request['size'], request['sha256']
    if not re.fullmatch(r'[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}', name):
        raise Problem('not-wanted', f'{name} is no name of a Java')
    with locks.held('java'):
        os.makedirs(SENT, exist_ok=True)
        os.chmod(SENT, 0o755)
        target, part, archive = f'{SENT}/{name}', f'{SENT}/{name}.part', f'{SENT}/{name}.tar.gz'
        shutil.rmtree(part, ignore_errors=True)
        try:
            if _receive(archive, size) != sha256:
                raise Problem('cut-off', 'its archive did not arrive completely')
            os.mkdir(part, 0o755)
            unpack = ['tar', '-xzf', archive, '-C', part, '--strip-components=1', '--no-same-owner']
            done = subprocess.run(unpack, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                full = 'No space left' in done.stderr or 'quota exceeded' in done.stderr
                raise Problem('disk-full' if full else 'cut-off', SENT if full else done.stderr.strip()[-200:])
            # Services run under users of their own.
            subprocess.run(['chmod', '-R', 'u=rwX,go=rX', part], check=True)
            subprocess.run(['sync', '-f', part], check=True)
            if not _is_program(f'{target}/bin/java'):
                shutil.rmtree(target, ignore_errors=True)
                os.rename(part, target)
        finally:
            places.remove(archive)
            shutil.rmtree(part, ignore_errors=True)
    return {}


def _receive(path, size):
    """Writes `size` bytes of the input to a file. Returns their sha256."""
    digest = hashlib.sha256()
    with open(path, 'wb') as file:
        while size > 0:
            piece = sys.stdin.buffer.read(min(size, CHUNK))
            if piece == b'':
                break
            digest.update(piece)
            file.write(piece)
            size -= len(piece)
    return digest.hexdigest()


def _version(path):
    """Reads the version from the `release` file of the JDK or JRE, because starting Java would take a second."""
    release = places.read(f'{os.path.dirname(os.path.realpath(path))}/../release') or ''
    for line in release.splitlines():
        if line.startswith('JAVA_VERSION='):
            return line.split('=', 1)[1].strip('"')
    ran = subprocess.run([path, '-version'], capture_output=True, text=True, timeout=30, check=False)
    words = ran.stderr.split('"')
    return words[1] if len(words) > 1 else None
