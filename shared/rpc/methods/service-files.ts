import { z } from 'zod';
import { serviceIdSchema } from '../../model/service-id.ts';
import {
  keptRunSchema,
  MAX_PIECE_BYTES,
  serviceCopySchema,
  serviceFilesSchema,
  servicePathSchema,
} from '../../model/service-files.ts';
import { remotePathSchema } from '../../model/files.ts';
import { taskSchema } from './files.ts';
import { method } from './method.ts';

/** Maximum number of files and folders in one call. */
const MAX_PATHS = 1000;

/** Files that services write: files of live services, and files that were kept when services ended. */
export const serviceFilesMethods = {
  /**
   * Lists one page of a folder of a live service, sorted by name. The page begins after the name `after`. Fails with
   * SERVICE_HAS_NO_FILES if the service is not on a node.
   */
  'services.listFiles': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, folder: servicePathSchema, after: z.string().max(255).nullable() }),
    serviceFilesSchema,
  ),
  /**
   * Reads a part of a file of a live service. `bytes` is the size of the whole file. Fails with
   * FILE_CONTENTS_FORBIDDEN if the caller may not read files.
   */
  'services.readFile': method(
    'viewer',
    z.strictObject({
      id: serviceIdSchema,
      path: servicePathSchema,
      from: z.int().nonnegative(),
      length: z.int().min(1).max(MAX_PIECE_BYTES),
    }),
    z.strictObject({ base64: z.base64(), bytes: z.int(), changedAt: z.int() }),
  ),
  /**
   * Copies files of a live service to a new folder in the shared files, and returns the path of that folder. Without
   * `paths`, copies everything.
   */
  'services.keepCopy': method(
    'operator',
    z.strictObject({
      id: serviceIdSchema,
      paths: z.array(servicePathSchema).min(1).max(MAX_PATHS).optional(),
      task: taskSchema,
    }),
    serviceCopySchema.extend({ folder: remotePathSchema }),
  ),
  /**
   * Copies files of a live service to the same paths in the folder of its template. Existing files are replaced if
   * `replace` is set, and skipped otherwise.
   */
  'services.copyToTemplate': method(
    'operator',
    z.strictObject({
      id: serviceIdSchema,
      paths: z.array(servicePathSchema).min(1).max(MAX_PATHS),
      replace: z.boolean(),
      task: taskSchema,
    }),
    serviceCopySchema,
  ),
  /** Returns the crash reports and logs that were kept each time the service ended, latest end first. */
  'services.keptFiles': method('viewer', z.strictObject({ id: serviceIdSchema }), z.array(keptRunSchema)),
  /**
   * Returns the text of a kept file. A compressed log is decompressed. `whole`: true if the text is complete, false
   * if it is only the end. Fails with FILE_CONTENTS_FORBIDDEN if the caller may not read files.
   */
  'services.readKeptFile': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, endedAt: z.int(), path: servicePathSchema }),
    z.strictObject({ text: z.string(), whole: z.boolean() }),
  ),
} as const;
