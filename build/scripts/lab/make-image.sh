#!/bin/sh
# Makes the folder from which lab nodes boot. It contains a Debian like the cloud image of a provider: with
# cloud-init, Python and sshd. It also contains Java, because lab nodes have no network from which they could download
# packages. The image's name is derived from this file, so each change of this file causes a new image.
#
# usage: make-image.sh FOLDER MIRROR
set -eu
folder=$1
mirror=$2

# The packages of a cloud image, Java, programs that tests use on the node, and libfaketime, which gives a node a
# wrong clock.
packages=systemd,systemd-sysv,dbus,openssh-server,iproute2,cloud-init,python3,sudo,procps,ca-certificates,nftables,rsync,curl
packages=$packages,openjdk-17-jre-headless,iputils-ping,netcat-openbsd,libfaketime
# Some dependencies of cloud-init are virtual packages, which debootstrap cannot resolve. This package provides them.
packages=$packages,python3-cffi-backend

debootstrap --variant=minbase --include="$packages" bookworm "$folder" "$mirror" >&2
rm -rf "$folder"/var/cache/apt/archives/*.deb "$folder"/var/lib/apt/lists/*

# Each node creates its own host keys and machine id at its first boot, like a server of a provider.
rm -f "$folder"/etc/ssh/ssh_host_* "$folder"/etc/resolv.conf "$folder"/etc/hostname "$folder"/var/lib/dbus/machine-id
: > "$folder/etc/machine-id"
mkdir -p "$folder/etc/systemd/system/ssh.service.d" "$folder/etc/ssh/sshd_config.d"
cat > "$folder/etc/systemd/system/ssh.service.d/10-host-keys.conf" <<'UNIT'
[Service]
ExecStartPre=
ExecStartPre=/usr/bin/ssh-keygen -A
ExecStartPre=/usr/sbin/sshd -t
UNIT
printf 'PermitRootLogin prohibit-password\nPasswordAuthentication no\nUseDNS no\n' > "$folder/etc/ssh/sshd_config.d/10-lab.conf"

# Disables units that need a network, a clock or a console, because lab nodes have none of these.
for unit in apt-daily.timer apt-daily-upgrade.timer fstrim.timer e2scrub_all.timer dpkg-db-backup.timer \
  systemd-networkd.service systemd-networkd-wait-online.service systemd-resolved.service systemd-timesyncd.service \
  getty@.service console-getty.service nftables.service; do
  ln -sf /dev/null "$folder/etc/systemd/system/$unit"
done

# In the lab, cloud-init gets user data only from the seed folder, which the kit fills before the first boot.
cat > "$folder/etc/cloud/cloud.cfg.d/99-lab.cfg" <<'CLOUD'
datasource_list: [ NoCloud, None ]
network: {config: disabled}
manage_etc_hosts: true
locale: C.UTF-8
CLOUD

# The first process of a node. It makes the controllers of cgroup v1 writable, and then becomes systemd. Where these
# controllers are mounted, the container has them read-only. Write access is safe, because the cgroup namespace limits
# the container to its own control groups. A unit would run too late: systemd checks only once, at its start, which
# controllers it may use.
cat > "$folder/sbin/lab-init" <<'INIT'
#!/bin/sh
for controller in memory cpu cpuacct pids blkio; do
  [ ! -d /sys/fs/cgroup/$controller ] || mount -o remount,bind,rw /sys/fs/cgroup/$controller
done
exec /lib/systemd/systemd "$@"
INIT
chmod 755 "$folder/sbin/lab-init"
