import { z } from 'zod';
import { platforms, sessionSchema } from '../link/messages.ts';
import { serviceIdSchema } from './service-id.ts';

/** A player on the network, as the admin API shows it. */
export const playerSchema = sessionSchema.extend({
  /** The proxy that the player came through. */
  proxy: serviceIdSchema,
});
export type Player = z.infer<typeof playerSchema>;

/** What a kicked player reads when nobody wrote a message. */
export const DEFAULT_KICK_MESSAGE = 'You were kicked by an admin.';

/** Overworld's plugin in one service. `silent`: it was heard before, and its connection is gone. */
export const pluginSchema = z.strictObject({
  state: z.enum(['linked', 'silent']),
  platform: z.enum(platforms),
  software: z.string(),
  version: z.string(),
  /** Since when it is in this state, ms since epoch. */
  since: z.int(),
});
export type Plugin = z.infer<typeof pluginSchema>;
