"""
Firewall of the node (nftables). It blocks these connections:

- from game servers to services, on this node and on others (docs/adr/0040)
- from all services to SSH of this node and of the master, and to the provider's metadata (docs/adr/0044)

Game servers have a group of their own, and the rules check the group of the sender. So the rules need no addresses of
services or nodes.

For TCP, the rules reject only the first packet of a connection (SYN). Everything is in one table; other tables stay
unchanged.
"""

import contextlib
import grp
import json
import os
import shutil
import socket
import subprocess

import locks
import places
import users
from machine import inbound

TABLE = 'inet overworld'
# Group of game servers. Proxies, and services that an older master started, have the group of all services.
GROUP = 'overworld-game'
# Why the rules could not be applied; read by the master (bootstrap/inspect.ts). Removed by a reboot.
PROBLEM = 'firewall-problem'
# SSH servers that services must not reach. Written at each contact of the master, and removed by a reboot.
SSH = 'firewall-ssh.json'
# Link-local addresses, at which providers answer with the user data of a node (169.254.169.254).
METADATA = '169.254.0.0/16'
SYN = 'tcp flags & (syn | ack) == syn'
TIMEOUT_S = 10
PATH = '/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin'


def make_group():
    if group_id() is None:
        subprocess.run(['groupadd', '--system', GROUP], check=True)


def group_id(name=GROUP):
    """Returns the id of a group, by default the group of game servers; None if the node has no such group."""
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        return None


def learn_ssh(master_port, connection):
    """
    Stores which SSH servers services must not reach.

    master_port: port of the master's SSH server; 0 or None if it is unknown
    connection: $SSH_CONNECTION of the master's login: its address and port, and the address and port of this node
    """
    words = (connection or '').split(' ')
    ssh = {}
    if len(words) == 4:
        ssh['node'] = int(words[3])
        if places.MASTER_FOLDERS is not None:
            # The master and the sshd for admins are on this machine, too.
            ssh['others'] = sorted({int(port) for port in (master_port, *own_ssh_ports()) if port} - {ssh['node']})
        elif master_port and family_of(words[0]) is not None:
            ssh['master'] = [words[0], int(master_port)]
    with contextlib.suppress(OSError):
        places.replace(f'{places.RUN}/{SSH}', json.dumps(ssh))


def own_ssh_ports():
    """Returns the ports in the configuration of this machine's sshd; empty if it cannot be read."""
    program = shutil.which('sshd', path=PATH)
    if program is None:
        return []
    ran = subprocess.run([program, '-T'], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return [line.split()[1] for line in ran.stdout.splitlines() if line.startswith('port ')]


def family_of(address):
    """Returns `ip` or `ip6`; None if the text is no plain address, such as an address with a zone."""
    for family, name in ((socket.AF_INET, 'ip'), (socket.AF_INET6, 'ip6')):
        with contextlib.suppress(OSError):
            socket.inet_pton(family, address)
            return name
    return None


def admit(request):
    """Sets who may connect to game servers of the master's machine from outside (inbound.py)."""
    inbound.store(request)
    keep()
    return {}


def keep():
    """
    Applies the rules, which someone may have removed. If that fails, services still run, and the reason is noted for
    the master.
    """
    game, services = group_id(), group_id(places.USER)
    if game is None or services is None:
        return
    note = f'{places.RUN}/{PROBLEM}'
    with locks.held('firewall'), contextlib.suppress(OSError):
        ssh = json.loads(places.read(f'{places.RUN}/{SSH}') or '{}')
        why = apply(rules(game, services, ssh, inbound.chains()))
        if why is None:
            places.remove(note)
        else:
            places.replace(note, f'{why}\n')


def rules(game, services, ssh, more=''):
    """
    Returns the input of `nft -f -`, which replaces the table in one transaction. For TCP, the chains accept only
    senders that are known to have another group. So a socket whose group the kernel does not know is rejected, too.

    game, services: ids of the groups of game servers and of other services
    ssh: `node` is the port of this node's sshd, `others` are the ports of other SSH servers on this node, `master` is
      the address and port of the master's SSH server
    more: further chains of the table
    """
    closed = []
    if 'node' in ssh:
        # Packets to any address of this machine leave by the interface "lo".
        ports = [ssh['node'], *ssh.get('others', ())]
        closed.append(f'oifname "lo" tcp dport {{ {", ".join(str(port) for port in ports)} }}')
    if 'master' in ssh:
        address, port = ssh['master']
        closed.append(f'{family_of(address)} daddr {address} tcp dport {port}')
    closed.append(f'ip daddr {METADATA}')
    to_closed = '\n    '.join(f'{target} {SYN} jump closed' for target in closed)
    # The first line creates the table if it is missing, because deleting a missing table fails.
    return f"""table {TABLE} {{ }}
delete table {TABLE}
table {TABLE} {{
  chain output {{
    type filter hook output priority 0; policy accept;
    tcp dport {users.USUAL_PORTS.start}-{users.USUAL_PORTS.stop - 1} {SYN} jump services
    {to_closed}
    ip daddr {METADATA} meta skgid {{ {game}, {services} }} reject
  }}
  chain services {{
    meta skgid != {game} accept
    reject with tcp reset
  }}
  chain closed {{
    meta skgid != {{ {game}, {services} }} accept
    reject with tcp reset
  }}
{more}}}
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
