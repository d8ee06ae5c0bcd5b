"""Assigns ports to services: outside of the ephemeral range and verified to be free."""

import errno
import socket

import observe
import places
import systemctl
from problem import Problem


def pick(first, last, taken):
    """Returns the lowest port that can be bound for TCP and UDP on all addresses."""
    low, high = (int(number) for number in places.read('/proc/sys/net/ipv4/ip_local_port_range').split())
    candidates = [port for port in range(first, last + 1) if not low <= port <= high]
    for port in candidates or range(first, last + 1):
        if port not in taken and _is_free(port):
            return port
    raise Problem('no-port', f'{first}-{last}')


def promised(except_id):
    """Returns the ports of services that are being prepared, prepared or running."""
    ports = set()
    for id in places.names(places.NOTES):
        # An ended service may still have processes, and the next service must not get their user.
        if id == except_id or (observe.exit_of(id) is not None and not systemctl.has_processes(id)):
            continue
        record = observe.record_of(id)
        # After a power failure, both files can be empty. No process uses that port then.
        note = places.read(f'{places.notes(id)}/port')
        if record is not None:
            ports.add(record['port'])
        elif note is not None and note.isdigit():
            ports.add(int(note))
    return ports


def _is_free(port):
    return _binds(port, socket.SOCK_STREAM) and _binds(port, socket.SOCK_DGRAM)


def _binds(port, kind):
    for family, address in ((socket.AF_INET6, '::'), (socket.AF_INET, '0.0.0.0')):
        try:
            with socket.socket(family, kind) as probe:
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                if kind == socket.SOCK_STREAM:
                    # Like servers do, ignore connections that were closed a moment ago.
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((address, port))
                if kind == socket.SOCK_STREAM:
                    probe.listen(1)
        except OSError as error:
            # The machine has no IPv6.
            if family == socket.AF_INET6 and error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
                continue
            return False
    return True
