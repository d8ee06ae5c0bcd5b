import { z } from 'zod';
import { saveIdSchema, saveSchema, volumeIdSchema, volumeSchema } from '../../model/volume.ts';
import { done, method, nothing } from './method.ts';

const oneVolume = z.strictObject({ id: volumeIdSchema });
const oneSave = z.strictObject({ id: volumeIdSchema, save: saveIdSchema });

/** Volumes and their saves. A volume holds the data that a service of a template with persistent paths keeps. */
export const volumesMethods = {
  /** Lists all volumes, including volumes of templates that no longer exist, sorted by template and number. */
  'volumes.list': method('viewer', nothing, z.array(volumeSchema)),
  /** Lists the stored saves of a volume, newest first. Fails with VOLUME_NOT_FOUND. */
  'volumes.saves': method('viewer', oneVolume, z.array(saveSchema)),
  /**
   * Compares two saves and returns the paths that differ. Fails with TOO_MANY if these do not fit into one message.
   */
  'volumes.compare': method(
    'viewer',
    z.strictObject({ id: volumeIdSchema, from: saveIdSchema, to: saveIdSchema }),
    z.strictObject({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
    }),
  ),
  /**
   * Saves a volume now. Resolves with the save once it is safely on the master's disk. Fails with VOLUME_NOT_ATTACHED
   * if no service runs on the volume, because the newest save then contains all data. If a client is changing the
   * volume over SFTP, `unlessOpen` decides: if it is set, the call fails with VOLUME_BEING_CHANGED; otherwise, the
   * call closes the client's open files.
   */
  'volumes.save': method(
    'operator',
    z.strictObject({ id: volumeIdSchema, unlessOpen: z.boolean().optional() }),
    saveSchema,
  ),
  /**
   * Makes an earlier save the current one, from which the next service starts. The save that was current before is
   * kept as an earlier save. Fails with VOLUME_IN_USE while a service uses the volume, and with SAVE_NOT_FOUND.
   */
  'volumes.restore': method('operator', oneSave, done),
  /** Deletes a volume with all its saves. Fails with VOLUME_IN_USE while a service uses the volume. */
  'volumes.delete': method('operator', oneVolume, done),
  /**
   * Creates a volume from a save of another volume: the given save or, by default, the newest one. Fails with
   * VOLUME_EXISTS, and with VOLUME_IN_USE if a service uses the new volume's number.
   */
  'volumes.clone': method(
    'operator',
    z.strictObject({ from: volumeIdSchema, to: volumeIdSchema, save: saveIdSchema.optional() }),
    done,
  ),
  /**
   * Makes the content of a folder the newest save of a volume. The volume is created if it does not exist. `folder`:
   * name of a folder in the master's folder of volumes; the caller creates it there before the call and removes it
   * afterwards. Fails with VOLUME_IN_USE while a service uses the volume, and with IMPORT_UNUSABLE.
   */
  'volumes.import': method(
    'owner',
    z.strictObject({ id: volumeIdSchema, folder: z.string().regex(/^\.import-[0-9a-f-]{36}$/) }),
    saveSchema,
  ),
  /**
   * Gives up the newest data of a volume. This is possible if the data's node cannot be reached, or if the service
   * has exited on the node and its data cannot be saved. The next service starts from the last save. `lostMs`: the
   * data of at most this period is lost (ms); null if no data can be lost. Fails with VOLUME_NOT_LOST if the node
   * answers and either the service runs there or no save has failed.
   */
  'volumes.attach': method(
    'operator',
    z.strictObject({ id: volumeIdSchema, acceptLoss: z.literal(true) }),
    z.strictObject({ lostMs: z.int().nullable() }),
  ),
} as const;
