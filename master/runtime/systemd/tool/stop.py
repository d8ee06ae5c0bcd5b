"""Stops a service by its stop command, TERM and KILL, until all its processes have exited."""

import os
import select
import time

import console
import journal
import locks
import observe
import places
import systemctl

# Time between TERM and KILL.
TERM_TO_KILL_S = 5.0
LOOK_S = 0.05
# Maximum interval of repeating KILL: a process that survives it hangs in the kernel, for example on a dead disk.
STUCK_LOOK_S = 0.5
# Time from the first KILL until KILL also ends the script that writes the exit note. Writing it takes well under 1 s,
# but the script may hang, and systemd waits up to the service's stop timeout for it.
NOTE_S = 15.0


def stop(request):
    """
    Stops a service. Returns it in the form of `observe`, and the end of the journal. The service's output is before
    this end.
    """
    id = request['id']
    # Wait for a start in progress, so that its process is stopped too.
    with locks.of(id):
        pass
    grace_s = request['graceMs'] / 1000
    if grace_s > 0 and systemctl.look_at(id)['alive']:
        for line in commands_for(id, request['commands']):
            # A server that does not read its console is stopped by signals instead.
            console.write_if_possible(id, line)
    if not wait_until_gone(id, grace_s) and grace_s > 0:
        signal(id, 'SIGTERM')
        wait_until_gone(id, TERM_TO_KILL_S)
    pause = LOOK_S
    noted_until = time.monotonic() + NOTE_S
    while not wait_until_gone(id, 0):
        signal(id, 'SIGKILL', time.monotonic() < noted_until)
        if wait_until_gone(id, pause):
            note_kill(id)
        pause = min(pause * 2, STUCK_LOOK_S)
    return {**observe.now(), 'service': observe.one(id), **journal.journal_end({})}


def commands_for(id, commands):
    record = observe.record_of(id)
    return commands['proxy' if record is not None and record['spec']['isProxy'] else 'game']


def note_kill(id):
    """Writes the exit note in case KILL also ended the script that writes it."""
    if observe.exit_of(id) is None and observe.start_of(id) is not None:
        os.makedirs(places.fallback_notes(id), exist_ok=True)
        places.replace(f'{places.fallback_notes(id)}/exit', 'signal\nkilled\nKILL\n0\n')


def signal(id, name, spares_note=True):
    """Sends a signal to all processes of the service; by default to none while the exit note is being written."""
    if spares_note and systemctl.look_at(id)['noting']:
        return
    try:
        systemctl.run('kill', f'--signal={name}', systemctl.name(id))
    except systemctl.Failed:
        # The unit has just ended, which the next check detects.
        pass


def wait_until_gone(id, seconds):
    """Waits up to `seconds` and returns whether all processes of the service have exited."""
    deadline = time.monotonic() + seconds
    while True:
        unit = systemctl.look_at(id)
        if not unit['alive']:
            return True
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        wait_for_process(unit['pid'], left)


def wait_for_process(pid, seconds):
    """Waits until the server's process has exited; only briefly if there is none."""
    try:
        handle = None if pid is None else os.pidfd_open(pid)
    except OSError:
        handle = None
    if handle is None:
        time.sleep(min(LOOK_S, seconds))
        return
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(seconds * 1000)
    finally:
        os.close(handle)
