import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabNode } from '#test/lab/kit/node.ts';
import { must } from '#test/lab/kit/run.ts';
import type { Scope } from '../../kit/scope.ts';
import { TMPFS } from '../../kit/sftp/our-sftp.ts';

const MKFS = ['/usr/sbin/mkfs.xfs', '/sbin/mkfs.xfs'];

/** Returns the reason why this machine cannot create a file system with reflinks. Null if it can. */
export function whyNoReflinks(): string | null {
  return MKFS.some((path) => existsSync(path)) ? null : 'mkfs.xfs is not installed (Debian package xfsprogs)';
}

/**
 * Gives a node a disk with XFS for the files of its services. Restarts the node, and resolves when its SSH server
 * answers.
 */
export async function giveReflinks(scope: Scope, node: LabNode, megabytes: number): Promise<void> {
  const image = join(await scope.folder(TMPFS), 'disk.xfs');
  must('truncate', ['-s', `${megabytes}M`, image]);
  must('mkfs.xfs', ['-q', '-m', 'reflink=1', image]);
  await node.powerOff();
  const folder = join(node.root, 'var/lib/overworld');
  await mkdir(folder, { recursive: true });
  must('mount', ['-o', 'loop', image, folder]);
  scope.add(() => {
    must('umount', ['--lazy', folder]);
  });
  await node.start();
  await node.waitForSsh();
}
