"""Finds the current end of the journal."""

import grp
import subprocess

import firewall
import places


def followed():
    """Returns the journalctl matches for output of services, the same as in journal-entry.ts."""
    # Matches of the same field are alternatives.
    groups = {grp.getgrnam(places.USER).gr_gid, firewall.group_id()} - {None}
    return ('_SYSTEMD_SLICE=overworld.slice', '+', *(f'_GID={group}' for group in groups))


def journal_end(_request):
    """Returns the cursor of the last line of any service; None if there is none. All output so far precedes it."""
    subprocess.run(['journalctl', '--sync'], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    ran = subprocess.run(
        ['journalctl', '--quiet', '--lines=1', '--output=cat', '--output-fields=_NONE', '--show-cursor', *followed()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    mark = '-- cursor: '
    for line in ran.stdout.decode(errors='replace').splitlines():
        if line.startswith(mark):
            return {'cursor': line[len(mark):]}
    return {'cursor': None}
