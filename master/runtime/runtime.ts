import type { Forwarding, Provision } from '#master/templates/provision.ts';
import type { EnvironmentEntry } from '#shared/config/start-up.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import type { PauseRequest } from './saving-pause.ts';

export { NO_PROVISION } from '#master/templates/provision.ts';
export type { Forwarding, ProvidedFile, Provision } from '#master/templates/provision.ts';
export { mustResume, SAVE_ON, type PauseRequest, type SavingPause } from './saving-pause.ts';

/**
 * Everything that a node needs to run one service. It is stored with the process, so that a master can adopt the
 * service without any other record.
 */
export interface ServiceSpec {
  readonly id: ServiceId;
  readonly template: TemplateId;
  /** Template revision from which the service's files come. */
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
  /** Forwarding of player identities with which the service was started; null if forwarding was not set up. */
  readonly forwarding: Forwarding['kind'] | null;
  /** Version of Overworld's plugin that the service received; null if it received none. */
  readonly plugin: string | null;
  readonly maxPlayers: number;
  /** Java as the template configures it: `auto`, or a feature version. */
  readonly java: string;
  /** Oldest Java (feature version) that starts `server.jar`; null if unknown. */
  readonly needsJava: number | null;
  /** Further arguments of the JVM. */
  readonly jvmArguments: readonly string[];
  /** Variables of the service. Their values may be secrets. */
  readonly environment: readonly EnvironmentEntry[];
  /** Whether the service's files disable status pings (`enable-status=false`), so that it never answers one. */
  readonly statusOff: boolean;
  /**
   * Where the service's log ended before the start; null if the end does not matter, or if an older version of the
   * master started the service.
   */
  readonly logEnd: LogEnd | null;
  /**
   * Shared files that are copied over the template's files, in this sequence
   * (docs/specification.md#defaultservicefiles).
   */
  readonly defaultServiceFiles: readonly FileEntry[];
  /** Paths and globs of the files that the service keeps (docs/specification.md#persistentpaths). */
  readonly persistentPaths: readonly string[];
  /** `stopTimeout` (s): how long the service may take to stop when its node shuts down, within limits. */
  readonly stopTimeoutS: number;
  /** Fingerprint of the shared files at the service's start; null if unknown. */
  readonly sharedFiles: string | null;
  /** Why the service was requested. The activity log shows this reason, even after an adoption of the service. */
  readonly cause: string;
  readonly requestedAt: number;
}

/**
 * The end of a stored log at one moment: the number of lines, and a hash of the last line. The hash is needed because
 * the log may be cut later.
 */
export interface LogEnd {
  /** Number of complete lines that were stored. */
  readonly lines: number;
  /** SHA-256 of the text of the last complete line (hex); null if there was no such line. */
  readonly lastHash: string | null;
}

/**
 * How a process exited: `code` is its exit status, or `signal` is the signal that terminated it. Both are null if
 * that is unknown, for example because the process exited without leaving a record of its exit.
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

/** State of one service, read from the service's node and not from the master's memory. */
export interface ObservedProcess {
  readonly spec: ServiceSpec;
  readonly port: number;
  readonly host: string;
  readonly startedAt: number;
  /** `alive`: a process of the service exists. `ended`: the service was started, and no process of it exists. */
  readonly state: 'alive' | 'ended';
  readonly pid: number | null;
  readonly exit: Exit | null;
}

/**
 * Where a service belongs according to the master, from the point of view of one node:
 * - `here`: this node's reports about the service are accepted
 * - `elsewhere`: this node's reports are ignored
 * - `nowhere`: the master does not know the service, or has removed it
 */
export type ServiceLocation = 'here' | 'elsewhere' | 'nowhere';

/** A piece of a file of a service. */
export interface FilePiece {
  /** Bytes of the piece; empty if the piece starts at or after the end of the file. */
  readonly content: Buffer;
  /** Size of the whole file. */
  readonly bytes: number;
  /** Time of the file's last change (ms since epoch). */
  readonly changedAt: number;
}

export interface FollowedLog {
  /** The last lines before following started, oldest first. */
  readonly lines: readonly LogLine[];
  close(): void;
}

/** The hand-over file that a service should have (shared/link/messages.ts, HAND_OVER_FILE). */
export interface HandOverFile {
  readonly id: ServiceId;
  /** Complete content of the file; at most a few hundred bytes. */
  readonly content: Buffer;
}

/** Result of {@link Runtime.refreshHandOver}. */
export interface HandOverRefresh {
  /** Services whose files were replaced, because their content was different. */
  readonly written: readonly ServiceId[];
  /** Services whose files could not be replaced. `why` is a clause. */
  readonly failed: readonly { readonly id: ServiceId; readonly why: string }[];
}

/** The persistent files of a service at the moment of its snapshot. */
export interface SnapshotFiles {
  readonly files: readonly PersistentFile[];
  /** Paths of links, pipes and other special files, and of names that are not UTF-8. Such files cannot be kept. */
  readonly skipped: readonly string[];
}

/** Page of stored lines, oldest first. `next` is the line number at which the next page starts; null at the end. */
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

/** Lines found, oldest first. `more`: whether there are older matching lines. */
export interface LogHits {
  readonly lines: readonly LogLine[];
  readonly more: boolean;
}

/**
 * Runs services on one node. Calls are idempotent: starting a running service or stopping an exited one does
 * nothing. Implementations: `process/` (child processes on this machine), `systemd/` (units on a remote node). Over
 * a network, each call may also throw NODE_UNREACHABLE (the outcome is unknown, so call again) and
 * NODE_TOOL_FAILED.
 */
export interface Runtime {
  /**
   * Creates the service's folder from the template revision, default service files and volume, picks a free port, and
   * writes its configuration (`serviceConfigs`). Overwrites the files of an earlier failed attempt, but never the
   * files of a service that has persistent paths and was already started.
   *
   * @param provision files that the master adds, which replace files at the same paths, and secrets for the
   *   configuration; none by default
   *
   * @throws OverworldError PREPARE_FAILED, PORT_NONE_FREE, SERVER_JAR_MISSING, TEMPLATE_UNREADABLE (also for a
   *   missing default service file), JAVA_MISSING, JAVA_UNAVAILABLE, DISK_FULL, DISK_RESERVED. If it throws, the
   *   service cannot be started
   */
  prepare(spec: ServiceSpec, provision?: Provision): Promise<void>;
  /**
   * Starts the JVM of a prepared service in its own process group, which outlives the master. If the service
   * already has a running process, starts no second one and returns the state of the running one.
   *
   * @throws OverworldError JAVA_MISSING, JAVA_UNAVAILABLE, PREPARE_FAILED, DISK_FULL
   */
  start(id: ServiceId): Promise<ObservedProcess>;
  /**
   * Stops a service: sends the stop command to its console, TERM to the whole process group after `graceMs` (ms), and
   * KILL 5 s later; if `graceMs` is 0, sends KILL immediately. Resolves when all processes of the service have
   * exited; immediately if there are none.
   *
   * @returns how the service exited; null if it was never started or has no record
   */
  stop(id: ServiceId, options: { readonly graceMs: number }): Promise<Exit | null>;
  /**
   * Writes one line to the service's console.
   *
   * @throws OverworldError SERVICE_NOT_FOUND if the service has no running process, CONSOLE_BLOCKED if it does not
   *   read its console
   */
  command(id: ServiceId, line: string): Promise<void>;
  /**
   * Returns all services on this node with this cluster's mark, running or exited. Exited services are included
   * until {@link forget} removes them.
   */
  observe(): Promise<readonly ObservedProcess[]>;
  /**
   * Subscribes to exits. The listener is called soon after a service has exited; {@link observe} then returns the
   * service as ended.
   *
   * @returns a function that unsubscribes
   */
  onExit(listener: (id: ServiceId) => void): () => void;
  /**
   * Lists one page of a folder of a service: at most `MAX_LISTED_FILES` entries after the name `after`, sorted by
   * name (UTF-16 units, as JavaScript compares text). Leaves out names that are not valid UTF-8. Follows no links,
   * because the service can create links anywhere.
   *
   * @param folder path relative to the service's folder; empty for the folder itself
   * @throws OverworldError SERVICE_HAS_NO_FILES, FILE_NOT_FOUND, FILE_FORBIDDEN
   */
  listFiles(id: ServiceId, folder: string, after: string | null): Promise<ServiceFiles>;
  /**
   * Describes a file or folder of a service. Follows no links.
   *
   * @param path path relative to the service's folder; not empty
   * @throws OverworldError SERVICE_HAS_NO_FILES, FILE_NOT_FOUND, FILE_FORBIDDEN
   */
  describeFile(id: ServiceId, path: string): Promise<ServiceFile>;
  /**
   * Reads a piece of a regular file of a service, at most `MAX_PIECE_BYTES`. Follows no links.
   *
   * @throws OverworldError SERVICE_HAS_NO_FILES, FILE_NOT_FOUND, FILE_FORBIDDEN
   */
  readFile(
    id: ServiceId,
    path: string,
    piece: { readonly from: number; readonly length: number },
  ): Promise<FilePiece>;
  /**
   * Removes the folder of an exited service. Keeps its console log, and its crash reports and logs as far as they can
   * be read quickly (`runtime/kept`). Does nothing if the service is running.
   */
  forget(id: ServiceId): Promise<void>;
  /**
   * Makes a service also keep the files at these persistent paths, from now on: {@link takeSnapshot} includes them,
   * and the service's record contains them, for the next master. Does nothing if the service has no record.
   */
  addPersistentPaths(id: ServiceId, paths: readonly string[]): Promise<void>;
  /**
   * Takes a snapshot of the persistent files of a service. Unchanged files are not read. If the service is running,
   * its changed files are copied on its node. If the service does not write during this call, the snapshot shows the
   * files at one moment. A new snapshot replaces the previous one of the service.
   *
   * @param pause if set and the service is running, the node makes its server write its worlds completely, and keeps
   *   it from writing them during the snapshot. If the server does not know the commands or does not answer, the
   *   snapshot is taken anyway. The call may then take 130 s longer
   * @returns false if there is nothing to keep: the service has no persistent paths, was never started, or has no
   *   record
   */
  takeSnapshot(id: ServiceId, pause?: PauseRequest): Promise<boolean>;
  /**
   * Returns the files of the last snapshot with their hashes. Unchanged files are not read. Files are read on the
   * service's node.
   */
  readSnapshot(id: ServiceId): Promise<SnapshotFiles>;
  /**
   * Transfers contents of the last snapshot, and verifies their hashes. Fails if a file has changed since
   * {@link readSnapshot}.
   *
   * @param files the contents to transfer, each hash at most once
   * @param folder folder on the master. Each content is stored in it, under its hash
   */
  fetchSnapshot(
    id: ServiceId,
    files: readonly Pick<PersistentFile, 'hash' | 'size'>[],
    folder: string,
  ): Promise<void>;
  /**
   * Ends the last snapshot: removes its copies, which take space on the service's node. If its files were stored, notes
   * that they need not be read again until they change.
   */
  endSnapshot(id: ServiceId, result: { readonly stored: boolean }): Promise<void>;
  /**
   * Replaces the hand-over files of services if their content differs, so that their plugins find a master that has
   * moved. Each file is replaced atomically, with the owner and the mode that it has after {@link prepare}. No
   * service is restarted. Services that are not on this node are skipped.
   *
   * @param files at most one for each service; they are transferred in one request
   */
  refreshHandOver(files: readonly HandOverFile[]): Promise<HandOverRefresh>;
  /**
   * Returns the last lines of a service's log and sends later lines to the listener. If more than 1 MiB is written at
   * once, the listener gets only the last 1 MiB of it. Works for exited services, too, as long as their log is
   * stored.
   *
   * @param lines maximum number of lines to return
   * @param listener called with new lines; `ended` is true in the last call, when the log is complete
   */
  followLog(
    id: ServiceId,
    lines: number,
    listener: (lines: readonly LogLine[], ended: boolean) => void,
  ): Promise<FollowedLog>;
  /** Returns the last lines of a service's log, oldest first; empty if there is no log. */
  tailLog(id: ServiceId, lines: number): Promise<readonly string[]>;
  /**
   * Returns stored lines starting at line number `from`, or at the first stored line if that is later. Line numbers
   * are the same as in {@link followLog}. A page may have fewer than `limit` lines, because its text is limited to 1
   * MiB.
   */
  readLog(id: ServiceId, from: number, limit: number): Promise<LogPage>;
  /**
   * Returns the stored lines that contain a text, ignoring colour codes; at most `search.limit`, and 1 MiB of text.
   */
  searchLog(id: ServiceId, search: LogSearch): Promise<LogHits>;
}
