#!/bin/sh
# Makes the folder of a minimal Debian on which tests install the app's package. The packages that the app's package
# depends on or recommends are downloaded but not installed, because the lab has no network from which tests could
# download them.
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
# The user that starts the app.
chroot "$folder" useradd --create-home --shell /bin/sh anna >&2
