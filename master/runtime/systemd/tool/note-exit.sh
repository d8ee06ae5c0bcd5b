#!/bin/sh
# Run by systemd as root when service $1 has ended: how it did. The first note stays.

# Where cgroup v1 is in use systemd does not see kills for lack of memory; the group counts them.
group=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
[ -n "$group" ] && kills=$(sed -n 's/^oom_kill //p' "/sys/fs/cgroup/memory$group/memory.oom_control" 2>/dev/null)

note() {
  [ -e "$1/exit" ] && return 0
  printf '%s\n' "$SERVICE_RESULT" "$EXIT_CODE" "$EXIT_STATUS" "${kills:-0}" >"$1/exit.part" && mv "$1/exit.part" "$1/exit"
}

# On a full disk it has its place in memory.
note "/var/lib/overworld/notes/$1" 2>/dev/null && exit 0
mkdir -p "/run/overworld/notes/$1" && note "/run/overworld/notes/$1"
