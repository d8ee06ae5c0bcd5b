import { constants } from 'node:fs';
import type { ServiceFile } from '#shared/model/service-files.ts';
import type { Attrs } from '#master/files/sftp/protocol/packets.ts';

/**
 * Modes of folders, and of files whose own mode is unknown. They are the modes of new files and folders in templates,
 * because copies often keep the mode of the original.
 */
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;

const OWNER = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

const types: Readonly<Record<ServiceFile['kind'], number>> = {
  file: constants.S_IFREG,
  folder: constants.S_IFDIR,
  // Shown as a named pipe, which clients neither follow nor open. The real type has no meaning outside of the
  // service's folder.
  other: constants.S_IFIFO,
};

interface Facts extends Pick<ServiceFile, 'kind' | 'bytes' | 'changedAt'> {
  /** Permission bits; by default, those of a new file or folder. */
  readonly mode?: number;
}

/** Returns the attributes of a file or folder of a view. The owner is always the user of the master. */
export function toAttrs({ kind, bytes, changedAt, mode }: Facts): Attrs {
  const bits = mode ?? (kind === 'folder' ? FOLDER_MODE : FILE_MODE);
  return { ...OWNER, size: bytes, mode: types[kind] | bits, atimeMs: changedAt, mtimeMs: changedAt };
}

/** Returns the attributes of a folder. `changedAt` in ms since epoch. */
export function folderAttrs(changedAt: number): Attrs {
  return toAttrs({ kind: 'folder', bytes: 0, changedAt });
}
