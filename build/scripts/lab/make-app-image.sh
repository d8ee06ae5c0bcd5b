#!/bin/sh
# Makes the folder of a bare Debian in which the app's package is installed. It contains nothing but a minimal system. The
# packages that the app's package names are downloaded and not installed, as there is no network in the lab.
#
# usage: make-app-image.sh FOLDER MIRROR PACKAGE...
set -eu
folder=$1
mirror=$2
shift 2

debootstrap --variant=minbase bookworm "$folder" "$mirror" >&2
export DEBIAN_FRONTEND=noninteractive
chroot "$folder" apt-get update -qq >&2
chroot "$folder" apt-get install -qq --download-only "$@" >&2
# The user who starts the app.
chroot "$folder" useradd --create-home --shell /bin/sh anna >&2
