"""Prepares a node to run services. Called at the first contact of each master; existing parts are left unchanged."""

import os
import platform
import pwd
import shutil
import subprocess
import time

import firewall
import places
import systemctl
import users
from machine import java

SOURCES = f'{places.HERE}/unit-files'
SCRIPTS = {'note-start.sh': 'note-start', 'note-exit.sh': 'note-exit'}
UNIT_FILES = ('overworld.slice', 'overworld@.service', 'overworld@.socket')
# The tool of another or an older master may still be in use.
OLD_TOOL_AGE_S = 7 * 86_400
NEEDRESTART = '/etc/needrestart/conf.d'


def setup(request):
    make_user()
    users.make_usual()
    make_folders()
    keep_journal()
    for name, target in SCRIPTS.items():
        put(f'{SOURCES}/{name}', f'{places.TOOLS}/{target}', 0o755)
    changed = [put(f'{SOURCES}/{name}', f'{places.UNITS}/{name}', 0o644) for name in UNIT_FILES]
    if any(changed):
        systemctl.run('daemon-reload')
    prevent_restarts()
    firewall.make_group()
    firewall.learn_ssh(request.get('masterPort'), os.environ.get('SSH_CONNECTION'))
    firewall.keep()
    remove_old_tools()
    return facts()


def facts():
    disk = shutil.disk_usage(places.DATA)
    return {
        'java': java.machines(),
        'python': platform.python_version(),
        'systemd': systemctl.run('--version').split()[1],
        'boot': places.boot_id(),
        'uptime': places.uptime(),
        'clock': int(time.time() * 1000),
        'diskBytes': disk.total,
        'diskFreeBytes': disk.free,
    }


def make_user():
    try:
        pwd.getpwnam(places.USER)
    except KeyError:
        home = ['--home-dir', places.DATA, '--no-create-home', '--shell', '/usr/sbin/nologin']
        subprocess.run(['useradd', '--system', '--user-group', *home, places.USER], check=True)


def make_folders():
    for path in (places.DATA, places.RUN):
        os.makedirs(path, exist_ok=True)
        # A service's user may enter this folder to reach the service's files, but cannot list the folder.
        os.chmod(path, 0o711)
    os.makedirs(places.SERVICES, exist_ok=True)
    os.chmod(places.SERVICES, 0o711)
    for path in (places.NOTES, places.CACHE, places.CONSOLES, places.LOCKS):
        os.makedirs(path, mode=0o700, exist_ok=True)


def keep_journal():
    """Makes journald write to the disk; otherwise a reboot would lose all lines that were not read yet."""
    if os.path.isdir('/var/log/journal'):
        return
    os.makedirs('/var/log/journal', mode=0o755)
    subprocess.run(['systemd-tmpfiles', '--create', '--prefix', '/var/log/journal'], check=True)
    subprocess.run(['journalctl', '--flush'], check=True)


def prevent_restarts():
    """
    Keeps needrestart from restarting services. Ubuntu Server includes needrestart since 22.04. Since 24.04,
    needrestart restarts, after updates, all services that use a replaced library.
    """
    if os.path.isdir(NEEDRESTART):
        put(f'{SOURCES}/needrestart.conf', f'{NEEDRESTART}/overworld.conf', 0o644)


def put(source, target, mode):
    """Installs a file of the tool with the names of this node. Returns whether it was missing or different."""
    text = rendered(places.read(source))
    if places.read(target) == text:
        return False
    places.replace(target, text, mode)
    return True


def rendered(text):
    hidden = ''.join(f' -{folder}' for folder in places.MASTER_FOLDERS or ())
    return text.replace('@DATA@', places.DATA).replace('@USER@', places.USER).replace('@HIDDEN@', hidden)


def remove_old_tools():
    for name in places.names(places.TOOLS):
        path = f'{places.TOOLS}/{name}'
        if os.path.isdir(path) and path != places.HERE and os.stat(path).st_mtime < time.time() - OLD_TOOL_AGE_S:
            shutil.rmtree(path)
