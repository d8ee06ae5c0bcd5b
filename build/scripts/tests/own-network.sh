#!/bin/sh
# Runs a command in a network namespace of its own. The only interface of the namespace is loopback, so all ports are
# free, and the command cannot reach other networks. Needs Linux and root.
#
# usage: own-network.sh COMMAND [ARGUMENT...]
exec unshare --net -- /bin/sh -c 'ip link set lo up && exec "$@"' sh "$@"
