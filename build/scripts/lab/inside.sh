#!/bin/sh
# The lab's first process: makes the hub, runs one command there, and ends. It runs in process, network and mount
# namespaces of its own, so that all that is made here ends with it, however it ends: nodes, networks, mounts.
#
# usage: inside.sh COMMAND [ARGUMENT...]
set -eu

# Nodes keep their disks in memory: gone with the last process, and quick however many small files they hold.
mount -t tmpfs -o mode=755,size=75% overworld-lab /run/overworld-lab
mount -t tmpfs -o mode=755 overworld-lab-networks /run/netns

# The hub has no way out: nothing in the lab can reach any other network.
ip link set lo up
ip link add hub type bridge forward_delay 0 stp_state 0
ip addr add 10.99.0.1/24 dev hub
ip link set hub up

# Packets from node to node pass the provider's firewall, too (kit/firewall.ts).
sysctl -q -w net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1

# Not exec: process 1 has to stay one that takes the exit status of whatever ends without a parent.
"$@" <&0 &
wait $!
