import { z } from 'zod';
import { playerUuidSchema } from '../../link/messages.ts';
import { playerEntrySchema } from '../../model/player-entry.ts';
import { playerSchema } from '../../model/player.ts';
import { serviceIdSchema } from '../../model/service.ts';
import { done, method, nothing } from './method.ts';

/** Players, and how they join. */
export const playersMethods = {
  /** Returns how players join: load balancer, join addresses and plugin link. */
  'wayIn.get': method('viewer', nothing, playerEntrySchema),
  /**
   * Adds Overworld's section to the load balancer's configuration. Checks the result, and makes a backup of the old
   * file. Everything else in the file stays unchanged. This is the only call in which Overworld writes to a file that
   * does not contain its section.
   */
  'balancer.adopt': method('owner', nothing, playerEntrySchema),
  /**
   * Removes Overworld's section from the load balancer's configuration. The admin manages HAProxy from then on, and
   * players join a proxy directly.
   */
  'balancer.remove': method('owner', nothing, playerEntrySchema),
  /**
   * Lists the players on the network, earliest join first, at most 20,000. `total` is the number of all players; null
   * while the master does not know yet which players are online.
   */
  'players.list': method(
    'viewer',
    nothing,
    z.strictObject({ total: z.int().nullable(), limit: z.int(), players: z.array(playerSchema) }),
  ),
  /**
   * Kicks a player with a message. A blank message is replaced with the default message. If the player has
   * already left the proxy, the kick has no effect.
   */
  'players.kick': method(
    'operator',
    z.strictObject({ uuid: playerUuidSchema, message: z.string().max(256) }),
    done,
  ),
  /** Moves a player to another service. */
  'players.send': method(
    'operator',
    z.strictObject({ uuid: playerUuidSchema, service: serviceIdSchema }),
    done,
  ),
} as const;
