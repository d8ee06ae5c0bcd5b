#!/bin/sh
# Run by systemd as root when service $1 starts. noclobber (-C) makes it fail if the service has already run once.
set -C
cat /proc/sys/kernel/random/boot_id /proc/uptime >"@DATA@/notes/$1/start"
