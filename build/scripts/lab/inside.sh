#!/bin/sh
# The lab's first process: creates the hub (the lab's network bridge), runs one command, and exits. It runs in
# process, network and mount namespaces of its own. So all nodes, networks and mounts of the lab are removed when it
# exits, even if it is killed.
#
# usage: inside.sh COMMAND [ARGUMENT...]
set -eu

# The disks of nodes are in memory. They are fast even with many small files, and are removed with the last process.
mount -t tmpfs -o mode=755,size=75% overworld-lab /run/overworld-lab
mount -t tmpfs -o mode=755 overworld-lab-networks /run/netns

# The hub is not connected to another network, so processes in the lab cannot reach other networks.
ip link set lo up
ip link add hub type bridge forward_delay 0 stp_state 0
ip addr add 10.99.0.1/24 dev hub
ip link set hub up

# Packets between nodes also pass the simulated firewall of the provider (test/lab/kit/firewall.ts).
sysctl -q -w net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1

# The command is not started with `exec`, because this shell must remain process 1: it reaps processes whose parent
# has exited.
"$@" <&0 &
wait $!
