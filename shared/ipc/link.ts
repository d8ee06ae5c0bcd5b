import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { channel, done, nothing } from './channel.ts';

/** State of the app's link to its master. */
export const linkSchema = z.strictObject({
  /** Id of the connection profile it belongs to. */
  connection: z.string(),
  kind: z.enum(['embedded', 'remote']),
  name: z.string(),
  /** `host:port`; null until the embedded master has said where it listens. */
  address: z.string().nullable(),
  status: z.enum(['starting', 'connecting', 'connected', 'waiting', 'failed']),
  /** Why it is not connected. */
  error: wireErrorSchema.nullable(),
  /** When the next try begins, ms since epoch. */
  retryAt: z.int().nullable(),
  /** The master's host key, pinned: `SHA256:…`. */
  hostKey: z.string().nullable(),
  /** Counts connections made; a change means: everything shown may be old. */
  generation: z.int(),
  /** Names the running master; the same after a new connection means: its revisions go on. Null until it was asked. */
  run: z.string().nullable(),
});
export type Link = z.infer<typeof linkSchema>;

/** What the window asks of the link to the master. */
export const linkRequests = {
  'link.get': channel(nothing, linkSchema),
  'link.retry': channel(nothing, done),
} as const;
