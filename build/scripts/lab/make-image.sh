#!/bin/sh
# Makes the folder that lab nodes boot from: a Debian like a provider's cloud image (cloud-init, Python, sshd), with Java
# beside it, as there is no network in the lab to fetch packages from. Whatever changes here makes a new image.
#
# usage: make-image.sh FOLDER MIRROR
set -eu
folder=$1
mirror=$2

# What a cloud image has; Java; what tests use on the node; libfaketime for a node whose clock is wrong.
packages=systemd,systemd-sysv,dbus,openssh-server,iproute2,cloud-init,python3,sudo,procps,ca-certificates,nftables,rsync,curl
packages=$packages,openjdk-17-jre-headless,iputils-ping,netcat-openbsd,libfaketime
# Virtual packages that cloud-init depends on are beyond debootstrap.
packages=$packages,python3-cffi-backend

debootstrap --variant=minbase --include="$packages" bookworm "$folder" "$mirror" >&2
rm -rf "$folder"/var/cache/apt/archives/*.deb "$folder"/var/lib/apt/lists/*

# Each node makes its own at first boot, as a machine of a provider does.
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

# What waits for a network, a clock or a console that a node of the lab has not got.
for unit in apt-daily.timer apt-daily-upgrade.timer fstrim.timer e2scrub_all.timer dpkg-db-backup.timer \
  systemd-networkd.service systemd-networkd-wait-online.service systemd-resolved.service systemd-timesyncd.service \
  getty@.service console-getty.service nftables.service; do
  ln -sf /dev/null "$folder/etc/systemd/system/$unit"
done

# The only source of user_data here is the seed folder that the kit fills before the first boot.
cat > "$folder/etc/cloud/cloud.cfg.d/99-lab.cfg" <<'CLOUD'
datasource_list: [ NoCloud, None ]
network: {config: disabled}
manage_etc_hosts: true
locale: C.UTF-8
CLOUD

# Started instead of systemd, which it becomes. Where controllers of cgroup v1 are mounted, the container has them
# read-only; the cgroup namespace confines it to its own part of them anyhow. From a unit this would be too late: systemd
# looks once, at its start, which controllers it may use.
cat > "$folder/sbin/lab-init" <<'INIT'
#!/bin/sh
for controller in memory cpu cpuacct pids blkio; do
  [ ! -d /sys/fs/cgroup/$controller ] || mount -o remount,bind,rw /sys/fs/cgroup/$controller
done
exec /lib/systemd/systemd "$@"
INIT
chmod 755 "$folder/sbin/lab-init"
