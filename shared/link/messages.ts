import { z } from 'zod';
import { serviceIdSchema } from '../model/service-id.ts';
import { templateIdSchema } from '../model/template.ts';
import { visibleName } from '../text/visible-name.ts';

/**
 * The plugin link: what master and plugins say to each other on `communication.port` (docs/specification.md#communication; docs/adr/0022).
 * One JSON object on each line, UTF-8, over TLS whose certificate the plugin knows by its fingerprint. The plugin speaks
 * first (`hello`); the master answers with `welcome`, or with `refused` and the end of the connection.
 */
export const LINK_VERSION = 1;

/** Longest line that the master takes, bytes. */
export const MAX_PLUGIN_LINE_BYTES = 131_072;

/** Longest line that the master sends, bytes; longer lists travel in parts. */
export const MAX_MASTER_LINE_BYTES = 262_144;

/** Each side says something at least this often, ms. */
export const HEARTBEAT_MS = 5_000;

/** Who has said nothing for this time, ms, is taken to be gone; the connection is closed. */
export const SILENT_AFTER_MS = 15_000;

/** Most players in one message; longer lists are sent in parts. */
export const MAX_PLAYERS_PER_MESSAGE = 500;

/** Last moment that a date can hold (ECMA-262 21.4.1.1), ms since epoch: what is later cannot be shown. */
const LATEST_MS = 8_640_000_000_000_000;

/** Largest number of players anywhere in these words: Java's `int`, and far more than there are. */
export const MAX_COUNT = 2_147_483_647;

/** Letters of a UUID, lower case, with dashes. */
export const playerUuidSchema = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);

/**
 * Java edition allows 16; bridges for other editions put a letter in front. No spaces, nothing unseen. What only our own
 * Unicode does not know yet is let be: a proxy's Java may be newer, and one player's name must not cost it the link.
 */
export const playerNameSchema = z.string().regex(/^[^\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]{1,32}$/u);

/** One player on one proxy. */
export const sessionSchema = z.strictObject({
  uuid: playerUuidSchema,
  name: playerNameSchema,
  /** The service that the player is on; null while between two, or on a server that is not of this cloud. */
  server: serviceIdSchema.nullable(),
  /** When the player came to the proxy, ms since epoch by the proxy's clock. */
  since: z.int().min(0).max(LATEST_MS),
});
export type Session = z.infer<typeof sessionSchema>;

/** Where the plugin runs. `practice`: the bundled practice proxy. */
export const platforms = ['bungeecord', 'velocity', 'bukkit', 'practice'] as const;
export type Platform = (typeof platforms)[number];

/** Shown to people as the service wrote it, so with nothing unseen in it. */
const shortText = z.string().max(256).transform(visibleName);
const countSchema = z.int().min(0).max(MAX_COUNT);
const requestId = z.int().min(1);

/** What a plugin says. */
export const pluginMessageSchema = z.discriminatedUnion('type', [
  /** First message. `allowance`: slots that it still holds from an earlier connection, 0 after its start. */
  z.strictObject({
    type: z.literal('hello'),
    version: z.int(),
    service: serviceIdSchema,
    token: z.string().max(128),
    platform: z.enum(platforms),
    /** The server's own name and version, as `BungeeCord 1.21`. */
    software: shortText,
    /** Version of the plugin. */
    plugin: shortText,
    allowance: countSchema,
  }),
  /** Proxies, after `welcome`: all players on it, in parts; with the last one (`done`) the list is whole. */
  z.strictObject({
    type: z.literal('players'),
    players: z.array(sessionSchema).max(MAX_PLAYERS_PER_MESSAGE),
    done: z.boolean(),
  }),
  /** `beyond`: a plugin let it in although the limit was reached. */
  z.strictObject({ type: z.literal('joined'), player: sessionSchema, beyond: z.boolean() }),
  z.strictObject({
    type: z.literal('switched'),
    uuid: playerUuidSchema,
    server: serviceIdSchema.nullable(),
  }),
  z.strictObject({ type: z.literal('left'), uuid: playerUuidSchema }),
  /** Answer to each `allow`: what it holds from now on, and how many of that are taken (players and those logging in). */
  z.strictObject({
    type: z.literal('allowance'),
    seq: z.int().min(1),
    allowance: countSchema,
    used: countSchema,
  }),
  /** All that it holds is taken, and so many more want to join; they wait for the answer. */
  z.strictObject({ type: z.literal('more'), id: requestId, wanted: z.int().min(1).max(10_000) }),
  /** The limit was reached for a player: the custom event was fired; `admitted`: a plugin let the player in. */
  z.strictObject({
    type: z.literal('limit-reached'),
    uuid: playerUuidSchema,
    name: playerNameSchema,
    admitted: z.boolean(),
  }),
  /** A plugin on this service says that it is in use, or no longer (docs/specification.md#service-states: IN_USE). */
  z.strictObject({ type: z.literal('in-use'), inUse: z.boolean(), why: shortText }),
  /** Game servers: who is on it. */
  z.strictObject({ type: z.literal('count'), online: countSchema, max: countSchema }),
  /** An admin in game asks the master for something; answered by `answer` with the same id. Proxies only. */
  z.strictObject({
    type: z.literal('stop-service'),
    id: requestId,
    service: serviceIdSchema,
    by: playerNameSchema,
  }),
  z.strictObject({ type: z.literal('pong') }),
]);
export type PluginMessage = z.infer<typeof pluginMessageSchema>;

/** A game server that proxies may send players to. */
export const backendSchema = z.strictObject({
  /** Service id: its name in the proxy, too. */
  id: serviceIdSchema,
  template: templateIdSchema,
  /** The template's display name. */
  name: z.string(),
  host: z.string(),
  port: z.int(),
  /** Players go there when they join, and when they lose their server (docs/specification.md#isfallback `isFallback`). */
  fallback: z.boolean(),
  /** Needed to enter; empty for everybody (docs/specification.md#joinpermission `joinPermission`). */
  permission: z.string(),
  players: countSchema,
  maxPlayers: countSchema,
  /** Players to which it is filled before an emptier one gets any (docs/adr/0026). */
  fillLevel: countSchema,
  /** False: those on it stay, nobody is sent there any more (it is stopping, being replaced, or does not answer). */
  open: z.boolean(),
});
export type Backend = z.infer<typeof backendSchema>;

/** Why a plugin is refused. `platform`: its service cannot be what it says. `busy`: too many connections; only then, and for `starting`, it is to try again by itself. */
export const refusals = ['version', 'token', 'platform', 'busy', 'starting'] as const;

/** What the master says. */
export const masterMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('welcome'),
    version: z.literal(LINK_VERSION),
    heartbeatMs: z.int(),
    silentAfterMs: z.int(),
  }),
  z.strictObject({ type: z.literal('refused'), why: z.enum(refusals), message: z.string() }),
  /** Numbers for the ping and `/cloud`: players on all proxies, and `max_online_players`. At most four a second. */
  z.strictObject({ type: z.literal('network'), online: countSchema, limit: countSchema }),
  /** Changes to the list of game servers. `reset`: what was known before is void; `done`: false while parts follow. */
  z.strictObject({
    type: z.literal('backends'),
    reset: z.boolean(),
    put: z.array(backendSchema),
    gone: z.array(serviceIdSchema),
    done: z.boolean(),
  }),
  /**
   * So many players may be on this proxy from now on. Less than before: it keeps what is taken, and tells what that is.
   * `answers`: the id of the `more` that this answers, null else; a `more` is answered when nothing more can be had.
   */
  z.strictObject({
    type: z.literal('allow'),
    seq: z.int(),
    allowance: z.int(),
    answers: z.int().nullable(),
  }),
  z.strictObject({ type: z.literal('kick'), uuid: playerUuidSchema, message: z.string() }),
  z.strictObject({ type: z.literal('send'), uuid: playerUuidSchema, server: serviceIdSchema }),
  z.strictObject({ type: z.literal('answer'), id: z.int(), ok: z.boolean(), text: z.string() }),
  z.strictObject({ type: z.literal('ping') }),
]);
export type MasterMessage = z.infer<typeof masterMessageSchema>;

/**
 * The file by which the master hands a service its place on the link: `KEY=VALUE` lines (java.util.Properties), mode
 * 0600, in the service's folder. Keys: `host`, `port`, `fingerprint` (SHA-256 of the certificate, lower case hex),
 * `service`, `token`.
 */
export const HAND_OVER_FILE = 'overworld-link.properties';
