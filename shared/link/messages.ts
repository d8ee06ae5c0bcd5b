import { z } from 'zod';
import { serviceIdSchema } from '../model/service-id.ts';
import { templateIdSchema } from '../model/template.ts';
import { visibleName } from '../text/visible-name.ts';

/**
 * Version of the plugin link, the protocol between master and plugins on `communication.port`
 * (docs/specification.md#communication; docs/adr/0022).
 *
 * Each line is one JSON object in UTF-8. The connection uses TLS, and the plugin verifies the certificate by its
 * fingerprint. The plugin sends `hello` first. The master replies with `welcome`, or replies with `refused` and
 * closes the connection.
 *
 * Both sides ignore unknown keys and unknown types of messages. Therefore, only a change that the other side must not
 * ignore needs a new version.
 */
export const LINK_VERSION = 1;

/** Maximum length of a line that the master accepts (bytes). */
export const MAX_PLUGIN_LINE_BYTES = 131_072;

/** Maximum length of a line that the master sends (bytes). Longer lists are split into several messages. */
export const MAX_MASTER_LINE_BYTES = 262_144;

/** Maximum number of players in one message. Longer lists are split. */
export const MAX_PLAYERS_PER_MESSAGE = 500;

/**
 * Latest time that a JavaScript Date can represent (ms since epoch; ECMA-262 21.4.1.1). A later time cannot be
 * displayed.
 */
const LATEST_MS = 8_640_000_000_000_000;

/** Largest number in a message that counts players or slots: the maximum of Java's `int`. */
export const MAX_COUNT = 2_147_483_647;

/** A UUID in lower case with dashes. */
export const playerUuidSchema = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);

/**
 * A player's name, without spaces and invisible characters. Java Edition allows 16 characters. The limit here is 32,
 * because bridges for other editions add a prefix.
 *
 * Code points that this runtime's Unicode version does not know are allowed: the Java of a proxy may know newer code
 * points, and such a name must not break the link.
 */
export const playerNameSchema = z.string().regex(/^[^\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]{1,32}$/u);

/** One player on one proxy. */
export const sessionSchema = z.strictObject({
  uuid: playerUuidSchema,
  name: playerNameSchema,
  /** The service on which the player is. Null during a switch, and on a server that Overworld does not run. */
  server: serviceIdSchema.nullable(),
  /** When the player joined the proxy (ms since epoch, by the proxy's clock). */
  since: z.int().min(0).max(LATEST_MS),
});
export type Session = z.infer<typeof sessionSchema>;

/** Software that the plugin runs on. `practice`: the bundled practice proxy. */
export const platforms = ['bungeecord', 'velocity', 'bukkit', 'practice'] as const;
export type Platform = (typeof platforms)[number];

/** Text that a plugin sends and that people see. Invisible characters are replaced. */
const shortText = z.string().max(256).transform(visibleName);
const countSchema = z.int().min(0).max(MAX_COUNT);
const requestId = z.int().min(1);

/** Messages from the plugin to the master. */
export const pluginMessageSchema = z.discriminatedUnion('type', [
  /** First message. `allowance`: slots that a proxy holds from an earlier connection; 0 if it has just started. */
  z.strictObject({
    type: z.literal('hello'),
    version: z.int(),
    service: serviceIdSchema,
    token: z.string().max(128),
    platform: z.enum(platforms),
    /** Name and version of the server software, such as `BungeeCord 1.21`. */
    software: shortText,
    /** Version of the plugin. */
    plugin: shortText,
    allowance: countSchema,
  }),
  /** Sent by proxies after `welcome`: all of their players, in parts. `done` marks the last part. */
  z.strictObject({
    type: z.literal('players'),
    players: z.array(sessionSchema).max(MAX_PLAYERS_PER_MESSAGE),
    done: z.boolean(),
  }),
  /** A player joined. `beyond`: a plugin admitted the player although the limit was reached. */
  z.strictObject({ type: z.literal('joined'), player: sessionSchema, beyond: z.boolean() }),
  z.strictObject({
    type: z.literal('switched'),
    uuid: playerUuidSchema,
    server: serviceIdSchema.nullable(),
  }),
  z.strictObject({ type: z.literal('left'), uuid: playerUuidSchema }),
  /**
   * Response to each `allow`: the number of slots that the proxy now holds, and how many of them are taken by players
   * and logins in progress.
   */
  z.strictObject({
    type: z.literal('allowance'),
    seq: z.int().min(1),
    allowance: countSchema,
    used: countSchema,
  }),
  /** Requests more slots: all slots are taken, and `wanted` players wait for the response. */
  z.strictObject({ type: z.literal('more'), id: requestId, wanted: z.int().min(1).max(10_000) }),
  /**
   * A player tried to join while the limit was reached, and the proxy's plugin fired its custom event. `admitted`:
   * whether another plugin admitted the player. A proxy sends at most 50 of these messages per second with each value
   * of `admitted`.
   */
  z.strictObject({
    type: z.literal('limit-reached'),
    uuid: playerUuidSchema,
    name: playerNameSchema,
    admitted: z.boolean(),
  }),
  /**
   * A plugin on this service declares the service to be in use, or to be no longer in use
   * (docs/specification.md#service-states: IN_USE).
   */
  z.strictObject({ type: z.literal('in-use'), inUse: z.boolean(), why: shortText }),
  /** Number of players and maximum number of players. Sent by game servers. */
  z.strictObject({ type: z.literal('count'), online: countSchema, max: countSchema }),
  /** A request of an admin in game. The master replies with `answer` and the same id. Sent by proxies only. */
  z.strictObject({
    type: z.literal('stop-service'),
    id: requestId,
    service: serviceIdSchema,
    by: playerNameSchema,
  }),
  z.strictObject({ type: z.literal('pong') }),
]);
export type PluginMessage = z.infer<typeof pluginMessageSchema>;

const pluginMessageTypes: ReadonlySet<string> = new Set(
  pluginMessageSchema.options.map(({ shape }) => shape.type.value),
);

/** Returns whether a value is a message of a type that this version does not know. */
export function isNewerPluginMessage(value: unknown): boolean {
  const parsed = z.object({ type: z.string().max(64) }).safeParse(value);
  return parsed.success && !pluginMessageTypes.has(parsed.data.type);
}

/** A game server to which proxies may send players. */
export const backendSchema = z.strictObject({
  /** Service id. It is also the server's name in the proxy. */
  id: serviceIdSchema,
  template: templateIdSchema,
  /** Display name of the template. */
  name: z.string(),
  host: z.string(),
  port: z.int(),
  /**
   * Whether proxies send players to this server when the players join, or when they lose their server
   * (docs/specification.md#isfallback).
   */
  fallback: z.boolean(),
  /**
   * Permission that players need to join the server. Empty if none is needed (docs/specification.md#joinpermission).
   */
  permission: z.string(),
  players: countSchema,
  maxPlayers: countSchema,
  /**
   * Number of players up to which proxies fill this server before they send players to an emptier server
   * (docs/adr/0026).
   */
  fillLevel: countSchema,
  /**
   * Whether proxies may send players to the server. False while the server is being stopped or drained, does not answer, or
   * is on a lost node. Also false while it is being replaced, or its node is drained or unreachable, if another server
   * of its template has room. Players on the
   * server stay there.
   */
  open: z.boolean(),
});
export type Backend = z.infer<typeof backendSchema>;

/**
 * Why the master rejects a plugin. `platform`: the service cannot run the software that the plugin reports. `busy`:
 * too many connections. After `token`, the plugin tries again within 30 s. After `platform`, it tries again only when
 * its hand-over file changes.
 */
export const refusals = ['version', 'token', 'platform', 'busy', 'starting'] as const;

/** Messages from the master to the plugin. */
export const masterMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('welcome'),
    version: z.literal(LINK_VERSION),
    heartbeatMs: z.int(),
    silentAfterMs: z.int(),
  }),
  z.strictObject({ type: z.literal('refused'), why: z.enum(refusals), message: z.string() }),
  /**
   * Numbers for the server list and `/cloud`: the number of players on all proxies, and `max_online_players`. Sent at
   * most four times a second.
   */
  z.strictObject({ type: z.literal('network'), online: countSchema, limit: countSchema }),
  /**
   * Changes to the list of game servers. `reset`: the receiver discards its earlier list first. `done`: false while
   * more parts follow.
   */
  z.strictObject({
    type: z.literal('backends'),
    reset: z.boolean(),
    put: z.array(backendSchema),
    gone: z.array(serviceIdSchema),
    done: z.boolean(),
  }),
  /**
   * Sets the number of slots that the proxy may fill. If the new number is lower than before, the proxy keeps the
   * slots that are taken, and reports their number.
   *
   * `answers`: id of the `more` request that this message answers, otherwise null. The master answers a `more`
   * request as soon as it can grant the request in full, or as soon as no further slots can become available. After a
   * time limit, it answers in any case.
   */
  z.strictObject({
    type: z.literal('allow'),
    seq: z.int(),
    allowance: z.int(),
    answers: z.int().nullable(),
  }),
  /**
   * Disconnects a player. `reason`: a reason for which the plugin has a text of its own, which the admin can change
   * (docs/plugin.md#what-players-are-told). Plugins that do not know the reason show `message`.
   */
  z.strictObject({
    type: z.literal('kick'),
    uuid: playerUuidSchema,
    message: z.string(),
    reason: z.literal('other-location').optional(),
  }),
  z.strictObject({ type: z.literal('send'), uuid: playerUuidSchema, server: serviceIdSchema }),
  z.strictObject({ type: z.literal('answer'), id: z.int(), ok: z.boolean(), text: z.string() }),
  z.strictObject({ type: z.literal('ping') }),
]);
export type MasterMessage = z.infer<typeof masterMessageSchema>;

/**
 * File through which the master gives a service access to the link: `KEY=VALUE` lines (java.util.Properties), mode
 * 0600, in the service's folder.
 *
 * Keys: `host`, `port`, `fingerprint` (SHA-256 of the certificate, lower case hex), `service`, `token`.
 */
export const HAND_OVER_FILE = 'overworld-link.properties';
