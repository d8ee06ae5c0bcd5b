import { code } from '../code.ts';

/** Errors of volumes and their saves. */
export const volumeCodes = {
  VOLUME_NOT_FOUND: code<{ volume: string }>(
    'user',
    ({ volume }) => `There is no volume "${volume}". It may have been deleted.`,
  ),
  VOLUME_EXISTS: code<{ volume: string }>(
    'user',
    ({ volume }) => `Volume ${volume} exists already. Choose another number, or delete that volume first.`,
  ),
  VOLUMES_LIMIT: code<{ what: string; limit: number }>(
    'user',
    ({ what, limit }) =>
      `No volume was created, because ${what} has ${limit} volumes or more. Delete volumes that you do not need.`,
  ),
  VOLUME_IN_USE: code<{ volume: string; service: string; node: string | null }>(
    'user',
    ({ volume, service, node }) =>
      `Volume ${volume} is in use: it belongs to service ${service}${node === null ? '' : ` on ${node}`} now. Stop that service first; its data is saved then.`,
  ),
  VOLUME_NOT_ATTACHED: code<{ volume: string }>(
    'user',
    ({ volume }) =>
      `No service uses volume ${volume}, so there is nothing to save: its newest save has all of its data.`,
  ),
  VOLUME_NOT_LOST: code<{ volume: string; node: string; running: boolean }>(
    'user',
    ({ volume, node, running }) =>
      running
        ? `The data of volume ${volume} is not lost: its service runs on node ${node}, which answers. Stop the service first; its data is saved then. Accept the loss only if this save fails.`
        : `The data of volume ${volume} is not lost: node ${node} answers, and no save of it has failed. The service does not run there, so the master saves its data without further action.`,
  ),
  VOLUME_QUOTA: code<{ volume: string; setting: string; needsMb: number; limitMb: number }>(
    'config',
    ({ volume, setting, needsMb, limitMb }) =>
      `Volume ${volume} was not saved: the save needs ${needsMb} MB, and ${setting} allows ${limitMb} MB. Raise the quota, or delete saves or volumes. Until then, data that exists only on a node stays there.`,
    true,
  ),
  SEPARATE_SAVES_LIMIT: code<{ volume: string; node: string; limit: number }>(
    'node',
    ({ volume, node, limit }) =>
      `Node ${node} has data of volume ${volume} that is not the volume's newest data. It was not saved, because the master already keeps ${limit} separate saves from this node. The data stays on the node. To keep it, copy the service's folder from the node. Then delete that folder, or release the node.`,
    true,
  ),
  VOLUME_FULL: code<{ volume: string; setting: string; needsMb: number; limitMb: number }>(
    'config',
    ({ volume, setting, needsMb, limitMb }) =>
      `Nothing more can be written to volume ${volume}: the write needs ${needsMb} MB, and ${setting} allows ${limitMb} MB. Delete files, or raise the quota.`,
  ),
  VOLUME_FILE_CLOSED: code<{ volume: string; why: string }>(
    'user',
    ({ volume, why }) =>
      `The file of volume ${volume} was closed, because ${why}. The changes until then are in a new save of the volume. Open the file again to write more.`,
  ),
  VOLUME_BEING_CHANGED: code<{ volume: string }>(
    'user',
    ({ volume }) =>
      `Volume ${volume} is being changed over SFTP: a client has a file open for writing. The changes become a save when no file is open.`,
    true,
  ),
  VOLUME_CHANGES_UNUSABLE: code<{ volume: string; service: string; why: string }>(
    'user',
    ({ volume, service, why }) =>
      `The changes that were made to volume ${volume} over SFTP cannot become a save: ${why}. Correct that over SFTP. Until then, ${service} does not start.`,
  ),
  VOLUME_COPY_UNUSABLE: code<{ volume: string; why: string }>(
    'config',
    ({ volume, why }) =>
      `The working copy of volume ${volume}, which contains changes over SFTP, cannot be used: ${why}. Correct that on the master's machine, and restart the master.`,
  ),
  VOLUME_SAVE_FAILED: code<{ volume: string; node: string; why: string }>(
    'node',
    ({ volume, node, why }) =>
      `Volume ${volume} could not be saved from ${node}: ${why}. Its data stays there, and the save is retried. Give up this data only with "volume attach ${volume} --accept-loss".`,
    true,
  ),
  VOLUME_UNREADABLE: code<{ volume: string; why: string }>(
    'config',
    ({ volume, why }) =>
      `The saves of volume ${volume} cannot be read: ${why}. Repair the master's disk, or restore another save.`,
  ),
  VOLUME_DAMAGED: code<{ volume: string; why: string }>(
    'config',
    ({ volume, why }) =>
      `Volume ${volume} cannot be used: ${why}. Its service does not start, and nothing of the volume is changed or deleted. Restore this file from a backup of the master, or move it away, and restart the master.`,
  ),
  DATA_UNKNOWN: code<{ node: string; service: string }>(
    'node',
    ({ node, service }) =>
      `Node ${node} has data of ${service}, which this master has not placed there. The data is neither stored nor deleted. To keep the data, copy the folder of ${service} from the node, and import the copy with "volume import". Then delete that folder, or release the node.`,
  ),
  IMPORT_UNUSABLE: code<{ volume: string; why: string }>(
    'user',
    ({ volume, why }) =>
      `The files cannot become a save of volume ${volume}: ${why}. Correct the archive and import it again.`,
  ),
  SAVE_NOT_FOUND: code<{ volume: string; save: string }>(
    'user',
    ({ volume, save }) => `Save ${save} of volume ${volume} is no longer stored. Choose another one.`,
  ),
};
