"""Where things are on a node. Root's alone, but for the files of a service, which are its user's."""

import os

USER = 'overworld'
TOOLS = '/usr/local/lib/overworld'

DATA = '/var/lib/overworld'
# A folder for each service, its user's: all that it sees of these.
SERVICES = DATA + '/services'
# A folder for each service, ours: its record, and how far it came.
NOTES = DATA + '/notes'
CACHE = DATA + '/cache'

# Gone with the next boot.
RUN = '/run/overworld'
CONSOLES = RUN + '/console'
LOCKS = RUN + '/locks'
DROP_INS = '/run/systemd/system'
UNITS = '/etc/systemd/system'


def files(id):
    return f'{SERVICES}/{id}'


def notes(id):
    return f'{NOTES}/{id}'


def fallback_notes(id):
    """Notes that the disk had no room for."""
    return f'{RUN}/notes/{id}'


def console(id):
    return f'{CONSOLES}/{id}'


_boot = None


def boot_id():
    """Which boot this is. Asked for with every file of a layout, and the kernel takes 80 us to say it: read once."""
    global _boot
    if _boot is None:
        _boot = read('/proc/sys/kernel/random/boot_id').strip()
    return _boot


def uptime():
    """Seconds since the boot: a clock that nobody sets."""
    return float(read('/proc/uptime').split()[0])


def read(path):
    """A small text file; None when there is none."""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read(1 << 20)
    except FileNotFoundError:
        return None


def replace(path, text, mode=0o600):
    """Puts a whole file in place of another: whoever reads sees the one or the other."""
    part = f'{path}.{os.getpid()}.part'
    try:
        with open(part, 'w', encoding='utf-8') as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        os.rename(part, path)
    except BaseException:
        remove(part)
        raise


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def names(folder):
    """What a folder holds; nothing when there is none."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
