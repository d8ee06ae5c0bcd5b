import type { Forwarding, Provision } from '#master/templates/provision.ts';
import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/rpc/contract.ts';

export { NO_PROVISION } from '#master/templates/provision.ts';
export type { Forwarding, GivenFile, Provision } from '#master/templates/provision.ts';

/** All that a node needs to know to run one service. Written beside its process, so that it can be adopted without any other record. */
export interface ServiceSpec {
  readonly id: ServiceId;
  readonly template: TemplateId;
  /** Template revision its files come from. */
  readonly revision: string;
  readonly minJvmMemoryMb: number;
  readonly maxJvmMemoryMb: number;
  readonly isProxy: boolean;
  /** The network has proxies, which check who players are: a game server does not ask again. */
  readonly behindProxy: boolean;
  /** A proxy: its connections begin with a PROXY protocol header, as the load balancer sends it; so must a ping. */
  readonly proxyProtocol: boolean;
  /** How proxies tell game servers who a player is, as it was set up at its start; null: nothing was. */
  readonly forwarding: Forwarding['kind'] | null;
  /** Version of Overworld's plugin that it was given; null: none. */
  readonly plugin: string | null;
  readonly maxPlayers: number;
  /** Shared files laid over the template's, in this order (docs/specification.md#defaultservicefiles). */
  readonly defaultServiceFiles: readonly FileEntry[];
  /** Fingerprint of what these were at its start; null: not known. */
  readonly sharedFiles: string | null;
  /** Why it was requested, kept for the activity log after an adoption. */
  readonly cause: string;
  readonly requestedAt: number;
}

/** How a process ended. `code` and `signal` are both null when nobody could see it (it ended while no master ran and left no note). */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /**
   * What is known beside that. `out-of-memory`: the kernel ended it, as it needed more than it may have (docs/specification.md#jvm-memory,
   * maxJvmMemory + 375 MB); `node-restarted`: it ended with its node.
   */
  readonly why?: 'out-of-memory' | 'node-restarted';
}

/** What the runtime sees of one service: evidence, not memory. */
export interface ObservedProcess {
  readonly spec: ServiceSpec;
  readonly port: number;
  readonly host: string;
  readonly startedAt: number;
  /** `alive`: a process with our mark exists. `ended`: it is proven gone. */
  readonly state: 'alive' | 'ended';
  readonly pid: number | null;
  readonly exit: Exit | null;
}

/**
 * Where a service belongs, as its master sees it from one node: `here`: what this node says of it counts; `elsewhere`: it
 * does not; `nowhere`: the master knows no such service (any more).
 */
export type Whereabouts = 'here' | 'elsewhere' | 'nowhere';

export interface FollowedLog {
  /** The last lines that existed, oldest first. */
  readonly lines: readonly LogLine[];
  close(): void;
}

/** Some kept lines, oldest first; `next` is where to read on, null at the end. */
export interface LogPage {
  readonly lines: readonly LogLine[];
  readonly next: number | null;
}

export interface LogSearch {
  readonly text: string;
  readonly caseSensitive: boolean;
  /** Most lines to find, the newest. */
  readonly limit: number;
}

/** Lines found, oldest first; `more`: there are older ones. */
export interface LogHits {
  readonly lines: readonly LogLine[];
  readonly more: boolean;
}

/**
 * How services run on one node. Every call may be repeated: asking for what is already so does nothing.
 * Implementations: `process/` (child processes on this machine), `systemd/` (units on a remote node). Over a network each
 * call may also throw NODE_UNREACHABLE (nobody knows whether it was done: ask again) and NODE_TOOL_FAILED.
 */
export interface Runtime {
  /**
   * Lays out the service's folder from the template revision and default files, picks a free port, and writes
   * what its configuration must say (`serviceConfigs`). Overwrites what an earlier failed attempt left.
   *
   * @param provision files that the master adds, written over whatever lies in their place, and secrets for its configuration; left
   *   out: none
   *
   * @throws OverworldError PREPARE_FAILED, PORT_NONE_FREE, SERVER_JAR_MISSING, TEMPLATE_UNREADABLE (also for a default
   * service file that is missing), DISK_FULL; then no folder is left
   */
  prepare(spec: ServiceSpec, provision?: Provision): Promise<void>;
  /**
   * Starts the JVM of a prepared service, in a process group of its own that outlives the master.
   * A service that already has a living process is returned as it is: never a twin.
   *
   * @throws OverworldError JAVA_MISSING, PREPARE_FAILED
   */
  start(id: ServiceId): Promise<ObservedProcess>;
  /**
   * Ends a service: stop command on its console, TERM after `graceMs`, KILL after 5 s more; the whole group.
   * Resolves when all its processes are proven gone; at once when there are none.
   */
  stop(id: ServiceId, options: { readonly graceMs: number }): Promise<Exit | null>;
  /**
   * Writes one line to the console.
   *
   * @throws OverworldError SERVICE_NOT_FOUND when it has no living process, CONSOLE_BLOCKED when it has stopped reading
   */
  command(id: ServiceId, line: string): Promise<void>;
  /** Everything on this node that carries this cluster's mark, living or ended and not yet forgotten. */
  observe(): Promise<readonly ObservedProcess[]>;
  /** Calls back soon after a process ended; the state itself is read by {@link observe}. @returns a function that unsubscribes */
  onExit(listener: (id: ServiceId) => void): () => void;
  /** Removes an ended service's folder. Its console log is kept. A living one is left alone. */
  forget(id: ServiceId): Promise<void>;
  /** Last lines and all that follow; also of services that have ended, as long as their log is kept. */
  followLog(
    id: ServiceId,
    lines: number,
    listener: (lines: readonly LogLine[], ended: boolean) => void,
  ): Promise<FollowedLog>;
  /** The last lines, oldest first; empty when there is no log. */
  tailLog(id: ServiceId, lines: number): Promise<readonly string[]>;
  /**
   * Kept lines from number `from` on, or from the first that is kept; numbered as {@link followLog} numbers them. A page
   * may be shorter than `limit`: its text is bounded, too.
   */
  readLog(id: ServiceId, from: number, limit: number): Promise<LogPage>;
  /** Looks through all kept lines, as they are seen: without their colours. */
  searchLog(id: ServiceId, search: LogSearch): Promise<LogHits>;
}
