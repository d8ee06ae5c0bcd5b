#!/bin/sh
# Run by systemd as root after service $1 has ended: records how it ended. An existing note is kept.

# With cgroup v1, systemd does not detect kills by the OOM killer; the control group counts them.
group=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
[ -n "$group" ] && kills=$(sed -n 's/^oom_kill //p' "/sys/fs/cgroup/memory$group/memory.oom_control" 2>/dev/null)

note() {
  [ -e "$1/exit" ] && return 0
  printf '%s\n' "$SERVICE_RESULT" "$EXIT_CODE" "$EXIT_STATUS" "${kills:-0}" >"$1/exit.part" && mv "$1/exit.part" "$1/exit"
}

# If the disk is full, the note is written to memory.
note "@DATA@/notes/$1" 2>/dev/null && exit 0
mkdir -p "/run/overworld/notes/$1" && note "/run/overworld/notes/$1"
