import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { identitySchema } from '../rpc/contract.ts';
import { channel, done, nothing } from './channel.ts';

/** State of the app's link to its master. */
export const linkSchema = z.strictObject({
  /** Id of the connection profile. */
  connection: z.string(),
  kind: z.enum(['embedded', 'remote']),
  name: z.string(),
  /** `host:port`. Null until the embedded master has reported its address. */
  address: z.string().nullable(),
  status: z.enum(['starting', 'connecting', 'connected', 'waiting', 'failed']),
  /**
   * Last error of the connection or of the embedded master. Null if there was none, or if the app has connected since
   * then.
   */
  error: wireErrorSchema.nullable(),
  /** Time of the next connection attempt (ms since epoch). Null unless `status` is `waiting`. */
  retryAt: z.int().nullable(),
  /**
   * Pinned host key of the master: `SHA256:…`. Null if no key is pinned, or if the master's address is not known yet.
   */
  hostKey: z.string().nullable(),
  /** Number of connections made. When it changes, all displayed data may be outdated. */
  generation: z.int(),
  /**
   * Identifies the running master process. If the value is unchanged after a reconnect, the master's revision numbers
   * continue. Null until the master has reported the value.
   */
  run: z.string().nullable(),
  /** Versions of the master and of its admin API. Null until the master has reported them. */
  master: identitySchema.nullable(),
  /**
   * Offset of the master's clock from the clock of this computer (ms), positive if the master's clock is ahead. After
   * a disconnect, the value of the last connection. 0 until the master has reported its time, if it is an older
   * master, and if the clocks hardly differ.
   */
  clockOffsetMs: z.int(),
});
export type Link = z.infer<typeof linkSchema>;

/** Requests about the link to the master. */
export const linkRequests = {
  'link.get': channel(nothing, linkSchema),
  'link.retry': channel(nothing, done),
} as const;
