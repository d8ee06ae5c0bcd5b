import { z } from 'zod';
import { platforms, sessionSchema } from '../link/messages.ts';
import { openEnum } from '../tolerant.ts';
import { serviceIdSchema } from './service-id.ts';

/** A player on the network, as the admin API returns it. */
export const playerSchema = sessionSchema.extend({
  /** The proxy through which the player joined. */
  proxy: serviceIdSchema,
});
export type Player = z.infer<typeof playerSchema>;

/** Message that a kicked player sees if the admin did not write one. */
export const DEFAULT_KICK_MESSAGE = 'You were kicked by an admin.';

/**
 * State of Overworld's plugin in one service. `silent`: the plugin was linked before, but its connection is closed
 * now.
 */
export const pluginSchema = z.strictObject({
  state: z.enum(['linked', 'silent']),
  platform: openEnum(platforms, 'other'),
  software: z.string(),
  version: z.string(),
  /** Start of the current state (ms since epoch). */
  since: z.int(),
});
export type Plugin = z.infer<typeof pluginSchema>;
