"""Where the journal ends now."""

import subprocess

# What the master follows (journal-entry.ts): lines of services, and what systemd says of their units.
FOLLOWED = ('_SYSTEMD_SLICE=overworld.slice',)


def journal_end(_request):
    """The cursor of the last line of any service; None when there is none. All that was written before stands before it."""
    subprocess.run(['journalctl', '--sync'], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    ran = subprocess.run(
        ['journalctl', '--quiet', '--lines=1', '--output=cat', '--output-fields=_NONE', '--show-cursor', *FOLLOWED],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    mark = '-- cursor: '
    for line in ran.stdout.decode(errors='replace').splitlines():
        if line.startswith(mark):
            return {'cursor': line[len(mark):]}
    return {'cursor': None}
