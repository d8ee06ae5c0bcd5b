import { readFile, rename } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import {
  connectionDraftSchema,
  EMBEDDED,
  preferencesSchema,
  rememberedServerSchema,
  themeSchema,
} from '#shared/ipc/contract.ts';
import type { Log } from '../environment/log.ts';

/** Maximum number of values that the window may store. More would be a bug of the page. */
const MAX_MEMORY_KEYS = 200;

const boundsSchema = z.object({
  x: z.int().optional(),
  y: z.int().optional(),
  width: z.int().min(1),
  height: z.int().min(1),
  maximized: z.boolean(),
});
export type WindowState = z.infer<typeof boundsSchema>;

const hostKeySchema = z.string().startsWith('SHA256:').nullable();

/** The server of a master that the app has installed or updated: how to log in, without secrets, and its host key. */
const serverSchema = rememberedServerSchema.extend({
  hostKey: z.strictObject({ type: z.string().min(1), fingerprint: z.string().startsWith('SHA256:') }),
});

/** A stored profile of a remote master. */
const profileSchema = connectionDraftSchema.extend({
  id: z.string().min(1).max(64),
  /** Pinned host key of the master. Null until a person has trusted a key. */
  hostKey: hostKeySchema,
  /** Time of the last connection (ms since epoch). Null if there was none. */
  lastConnectedAt: z.int().nullable(),
  /** Null if the app has neither installed nor updated this master. */
  server: serverSchema.nullable().default(null),
});
export type Profile = z.infer<typeof profileSchema>;

const settingsSchema = z.object({
  theme: themeSchema.default('system'),
  density: preferencesSchema.shape.density.default('comfortable'),
  notifications: preferencesSchema.shape.notifications.default({
    failures: true,
    nodes: true,
    playerLimit: true,
  }),
  closeToTray: z.boolean().default(false),
  parallelTransfers: preferencesSchema.shape.parallelTransfers.default(3),
  window: boundsSchema.nullable().default(null),
  onQuit: preferencesSchema.shape.onQuit.default('ask'),
  /** Small values of the window, such as its last route and sizes. */
  memory: z.record(z.string(), z.string()).default({}),
  /** Profiles of remote masters, oldest first. */
  connections: z.array(profileSchema).default([]),
  /** Stored data of the embedded master. */
  embedded: z
    .object({ hostKey: hostKeySchema, lastConnectedAt: z.int().nullable() })
    .default({ hostKey: null, lastConnectedAt: null }),
  /** Absolute paths of folders of this computer that a person added to the Files screen. */
  places: z.array(z.string().min(1)).default([]),
  /** Id of the connection in use. */
  connection: z.string().default(EMBEDDED),
});

/**
 * Settings format of version 0.1, which had only the embedded master. It stored host keys by the name of the link.
 */
const pinsSchema = z.object({ pins: z.object({ embedded: z.string() }), embedded: z.undefined().optional() });

/** Converts settings of an older version to the current format. */
function migrate(raw: unknown): unknown {
  const old = pinsSchema.safeParse(raw);
  if (!old.success) return raw;
  const { embedded: hostKey } = old.data.pins;
  // `raw` is an object, because pinsSchema has parsed it.
  return { ...(raw as object), embedded: { hostKey, lastConnectedAt: null } };
}
export type AppSettings = z.infer<typeof settingsSchema>;

/** The app's settings on disk, with one writer. */
export interface SettingsFile {
  readonly data: Readonly<AppSettings>;
  /** Changes some settings and resolves once they are on disk. Writes run one after the other. */
  update(change: Partial<AppSettings>): Promise<void>;
}

/**
 * Opens the settings. An unreadable or invalid file is renamed to `.broken` and the defaults are used, because
 * broken settings must not keep the app from starting.
 */
export async function openSettings(path: string, log: Log): Promise<SettingsFile> {
  let data = await read(path, log);
  let last: Promise<void> = Promise.resolve();
  return {
    get data() {
      return data;
    },
    update(change) {
      data = { ...data, ...change };
      // A write takes the data at the moment when it starts, so the last one leaves the newest data on disk. A failed
      // write does not block later ones.
      const write = () =>
        writeFileAtomic(path, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600, fsync: true });
      const next = last.then(write, write);
      last = next.catch((error: unknown) => log.error({ err: error }, 'the settings could not be written'));
      return next;
    },
  };
}

/**
 * Returns the window's memory with a value added or replaced. Returns the memory unchanged if it is full and the key
 * is new.
 */
export function remember(memory: Readonly<Record<string, string>>, key: string, value: string) {
  const full = !(key in memory) && Object.keys(memory).length >= MAX_MEMORY_KEYS;
  return full ? memory : { ...memory, [key]: value };
}

async function read(path: string, log: Log): Promise<AppSettings> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return settingsSchema.parse({});
    log.warn({ err: error, path }, 'the settings cannot be read; the defaults are used');
    return settingsSchema.parse({});
  }
  try {
    return settingsSchema.parse(migrate(JSON.parse(text)));
  } catch (error) {
    log.warn(
      { err: error, path },
      'the settings are faulty; they were moved aside and the defaults are used',
    );
    await rename(path, `${path}.broken`);
    return settingsSchema.parse({});
  }
}
