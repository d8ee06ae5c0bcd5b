import type { Forwarding, Provision } from '#master/templates/provision.ts';
import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/rpc/contract.ts';

export { NO_PROVISION } from '#master/templates/provision.ts';
export type { Forwarding, ProvidedFile, Provision } from '#master/templates/provision.ts';

/**
 * Everything that a node needs to run one service. It is stored beside the process, so that the service can be
 * adopted without any other record.
 */
export interface ServiceSpec {
  readonly id: ServiceId;
  readonly template: TemplateId;
  /** Template revision that its files come from. */
  readonly revision: string;
  readonly minJvmMemoryMb: number;
  readonly maxJvmMemoryMb: number;
  readonly isProxy: boolean;
  /**
   * Whether the network has proxies that authenticate players, so that a game server does not authenticate them
   * again.
   */
  readonly behindProxy: boolean;
  /**
   * Whether connections to this proxy, including pings, start with a PROXY protocol header, as sent by the load
   * balancer.
   */
  readonly proxyProtocol: boolean;
  /** Forwarding of player identities as set up when it was started; null if not set up. */
  readonly forwarding: Forwarding['kind'] | null;
  /** Version of Overworld's plugin that it was given; null if none. */
  readonly plugin: string | null;
  readonly maxPlayers: number;
  /** Shared files copied over the template's, in this order (docs/specification.md#defaultservicefiles). */
  readonly defaultServiceFiles: readonly FileEntry[];
  /** Fingerprint of the shared files when it was started; null if unknown. */
  readonly sharedFiles: string | null;
  /** Reason for the request, kept for the activity log after an adoption. */
  readonly cause: string;
  readonly requestedAt: number;
}

/**
 * How a process ended. `code` and `signal` are both null if that is unknown, because it ended while no master ran
 * and left no note.
 */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /**
   * Additional reason, if known. `out-of-memory`: the kernel killed the process because it exceeded its memory
   * limit (docs/specification.md#jvm-memory, maxJvmMemory + 375 MB); `node-restarted`: the process ended because
   * its node was restarted.
   */
  readonly why?: 'out-of-memory' | 'node-restarted';
}

/** State of one service as observed by the runtime, not taken from memory. */
export interface ObservedProcess {
  readonly spec: ServiceSpec;
  readonly port: number;
  readonly host: string;
  readonly startedAt: number;
  /** `alive`: a process with this master's mark exists. `ended`: no such process exists any more. */
  readonly state: 'alive' | 'ended';
  readonly pid: number | null;
  readonly exit: Exit | null;
}

/**
 * Where a service belongs according to its master, seen from one node:
 * - `here`: this node's reports about the service are accepted
 * - `elsewhere`: this node's reports are ignored
 * - `nowhere`: the master does not know the service, or no longer
 */
export type ServiceLocation = 'here' | 'elsewhere' | 'nowhere';

export interface FollowedLog {
  /** The last lines before following started, oldest first. */
  readonly lines: readonly LogLine[];
  close(): void;
}

/** Page of stored lines, oldest first. `next` is the number at which the next page starts; null at the end. */
export interface LogPage {
  readonly lines: readonly LogLine[];
  readonly next: number | null;
}

export interface LogSearch {
  readonly text: string;
  readonly caseSensitive: boolean;
  /** Maximum number of lines; the newest are returned. */
  readonly limit: number;
}

/** Lines found, oldest first. `more`: whether there are older ones. */
export interface LogHits {
  readonly lines: readonly LogLine[];
  readonly more: boolean;
}

/**
 * Runs services on one node. Calls are idempotent: a request for the current state does nothing. Implementations:
 * `process/` (child processes on this machine), `systemd/` (units on a remote node). Over a network each call may
 * also throw NODE_UNREACHABLE (its outcome is unknown, so call again) and NODE_TOOL_FAILED.
 */
export interface Runtime {
  /**
   * Creates the service's folder from the template revision and default service files, picks a free port, and
   * writes its configuration (`serviceConfigs`). Overwrites what an earlier failed attempt left.
   *
   * @param provision files that the master adds, which replace files at the same paths, and secrets for the
   *   configuration; none by default
   *
   * @throws OverworldError PREPARE_FAILED, PORT_NONE_FREE, SERVER_JAR_MISSING, TEMPLATE_UNREADABLE (also for a
   *   missing default service file), DISK_FULL; then no folder is left
   */
  prepare(spec: ServiceSpec, provision?: Provision): Promise<void>;
  /**
   * Starts the JVM of a prepared service in its own process group, which outlives the master. If the service
   * already has a living process, returns its state without starting a second one.
   *
   * @throws OverworldError JAVA_MISSING, PREPARE_FAILED
   */
  start(id: ServiceId): Promise<ObservedProcess>;
  /**
   * Stops a service: stop command on its console, TERM to the whole group after `graceMs`, KILL 5 s later. Resolves
   * when all its processes have exited; immediately if there are none.
   */
  stop(id: ServiceId, options: { readonly graceMs: number }): Promise<Exit | null>;
  /**
   * Writes one line to the console.
   *
   * @throws OverworldError SERVICE_NOT_FOUND if it has no living process, CONSOLE_BLOCKED if it does not read its
   *   console
   */
  command(id: ServiceId, line: string): Promise<void>;
  /** Returns all services on this node with this cluster's mark, running or ended, until they are forgotten. */
  observe(): Promise<readonly ObservedProcess[]>;
  /**
   * Subscribes to exits; the listener is called soon after a process exited. Its state is read with
   * {@link observe}. @returns a function that unsubscribes
   */
  onExit(listener: (id: ServiceId) => void): () => void;
  /** Removes the folder of an ended service and keeps its console log. Does nothing if the service is running. */
  forget(id: ServiceId): Promise<void>;
  /**
   * Returns the last lines and sends all further ones to the listener; works for ended services as long as their
   * log is kept.
   */
  followLog(
    id: ServiceId,
    lines: number,
    listener: (lines: readonly LogLine[], ended: boolean) => void,
  ): Promise<FollowedLog>;
  /** Returns the last lines, oldest first; empty if there is no log. */
  tailLog(id: ServiceId, lines: number): Promise<readonly string[]>;
  /**
   * Returns stored lines starting at number `from`, or at the first stored line if that is later. Numbers are those
   * of {@link followLog}. A page may have fewer than `limit` lines, because its text is limited too.
   */
  readLog(id: ServiceId, from: number, limit: number): Promise<LogPage>;
  /** Searches all stored lines, ignoring colour codes. */
  searchLog(id: ServiceId, search: LogSearch): Promise<LogHits>;
}
