"""
Firewall of the node (nftables), which keeps game servers from connecting to services, on this node and on others
(docs/adr/0040). Game servers have a group of their own, and the rules apply to the group of the sender. So they need no
addresses, and they are the same on all nodes and never change.

They only reject the first packet of a connection (SYN). Everything is in one table; other tables stay unchanged.
"""

import contextlib
import grp
import os
import shutil
import subprocess

import locks
import places
import users

TABLE = 'inet overworld'
# Group of game servers. Proxies, and services that an older master started, have the group of all services.
GROUP = f'{places.USER}-game'
# Why the rules could not be applied; read by the master (bootstrap/inspect.ts). Removed by a reboot.
PROBLEM = 'firewall-problem'
TIMEOUT_S = 10
PATH = '/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin'


def make_group():
    if group_id() is None:
        subprocess.run(['groupadd', '--system', GROUP], check=True)


def group_id():
    """Returns the id of the game servers' group; None if the node has no such group."""
    try:
        return grp.getgrnam(GROUP).gr_gid
    except KeyError:
        return None


def keep():
    """
    Applies the rules, which someone may have removed. If that fails, services still run, and the reason is noted for
    the master.
    """
    group = group_id()
    if group is None:
        return
    note = f'{places.RUN}/{PROBLEM}'
    with locks.held('firewall'), contextlib.suppress(OSError):
        why = apply(rules(group))
        if why is None:
            places.remove(note)
        else:
            places.replace(note, f'{why}\n')


def rules(group):
    """
    Returns the input of `nft -f -`, which replaces the table in one transaction. Senders of other groups are accepted,
    and all others rejected: also a socket whose group the kernel does not know.
    """
    # The first line creates the table if it is missing, because deleting a missing table fails.
    return f"""table {TABLE} {{ }}
delete table {TABLE}
table {TABLE} {{
  chain output {{
    type filter hook output priority 0; policy accept;
    tcp dport {users.USUAL_PORTS.start}-{users.USUAL_PORTS.stop - 1} tcp flags & (syn | ack) == syn jump services
  }}
  chain services {{
    meta skgid != {group} accept
    reject with tcp reset
  }}
}}
"""


def apply(text):
    """Passes rules to the kernel. Returns None, or the reason as a clause if that failed."""
    program = shutil.which('nft', path=PATH)
    if program is None:
        return 'nftables is not installed'
    nft = {'input': text.encode(), 'capture_output': True, 'check': False, 'timeout': TIMEOUT_S}
    try:
        ran = subprocess.run([program, '-f', '-'], **nft)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f'nft cannot be run: {error}'
    if ran.returncode == 0:
        return None
    lines = ran.stderr.decode(errors='replace').strip().splitlines()
    return f'nft answered "{lines[0][:200]}"' if lines else f'nft exited with {ran.returncode}'
