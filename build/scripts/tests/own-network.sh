#!/bin/sh
# Runs a command in a network namespace of its own, whose only interface is loopback: its ports are free, and no other
# network can be reached from it. Needs Linux and root.
#
# usage: own-network.sh COMMAND [ARGUMENT...]
exec unshare --net -- /bin/sh -c 'ip link set lo up && exec "$@"' sh "$@"
