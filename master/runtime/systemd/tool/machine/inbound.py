"""
Rules for connections from outside to game servers on the master's own machine, which no firewall of a provider
protects (docs/adr/0051). Other nodes may connect, because proxies run there. Addresses in `firewall_rules` may
connect, too. Services with `isProxy` stay open, because players join there.
"""

import ipaddress
import json

import observe
import places

# Written by the master at each contact, and when its nodes or rules change. Removed by a reboot, after which no
# service runs.
ADMITTED = 'firewall-admitted.json'
SYN = 'tcp flags & (syn | ack) == syn'


def store(request):
    places.replace(f'{places.RUN}/{ADMITTED}', json.dumps(request))


def chains():
    """
    Returns chains for the table; an empty text if this is not the master's machine, or if there are no game servers.
    """
    ports = game_ports()
    if places.MASTER_FOLDERS is None or not ports:
        return ''
    lines = '\n    '.join([*accepted(json.loads(places.read(f'{places.RUN}/{ADMITTED}') or '{}')), 'reject with tcp reset'])
    return f"""  chain input {{
    type filter hook input priority 0; policy accept;
    iifname != "lo" tcp dport {{ {", ".join(str(port) for port in ports)} }} {SYN} jump outside
  }}
  chain outside {{
    {lines}
  }}
"""


def game_ports():
    """Returns the ports of game servers (services without `isProxy`) that are prepared or run."""
    records = [observe.record_of(id) for id in places.names(places.NOTES) if observe.exit_of(id) is None]
    return sorted({record['port'] for record in records if record and not record['spec'].get('isProxy')})


def accepted(admitted):
    """
    Yields the statements that accept connections.

    admitted: `nodes` are addresses of other nodes, `rules` are rules of the admin, each with `port` and `sources`
    """
    for address in admitted.get('nodes', ()):
        yield f'{saddr(address)} accept'
    for rule in admitted.get('rules', ()):
        first, _, last = rule['port'].partition('-')
        port = f'tcp dport {int(first)}-{int(last or first)}'
        for source in rule['sources']:
            yield f'{port} {saddr(source)} accept'


def saddr(text):
    """Returns the nftables expression that matches an address, or a network in CIDR notation."""
    network = ipaddress.ip_network(text, strict=False)
    family = 'ip' if network.version == 4 else 'ip6'
    # nft refuses a network that contains all addresses.
    return f'meta nfproto ipv{network.version}' if network.prefixlen == 0 else f'{family} saddr {network}'
