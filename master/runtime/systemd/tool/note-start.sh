#!/bin/sh
# Run by systemd as root when service $1 starts. Without clobbering: what has run once is never run again as it is.
set -C
cat /proc/sys/kernel/random/boot_id /proc/uptime >"/var/lib/overworld/notes/$1/start"
