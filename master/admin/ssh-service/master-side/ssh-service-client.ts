import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { BaseLogger } from 'pino';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { SshBackend } from '../../ssh/ssh-backend.ts';
import type { SshServer } from '../../ssh/ssh-server.ts';
import {
  MAX_MESSAGE_BYTES,
  MAX_REQUEST_OF_SERVICE_BYTES,
  toMaster,
  toService,
  type ServiceSettings,
  type StartParams,
} from '../messages.ts';
import { connectPeer, type Peer } from '../peer.ts';
import { killSshUnit } from './kill-unit.ts';
import { masterHandlers } from './master-handlers.ts';
import { RemoteFileJobs } from './remote-jobs.ts';
import { serveApiOn } from './serve-api-on.ts';
import { ServedSessions } from './served-sessions.ts';
import { UsedProofs } from './used-proofs.ts';
import { watchService } from './watch-service.ts';

/**
 * Maximum time for the service to accept the master's connection (ms). Also the maximum time for the service to start
 * its SSH server after that. The time is long, because the service starts at the same time as the master.
 */
const CONNECT_MS = 30_000;

/** Pause between two attempts to connect (ms). */
const RETRY_MS = 50;

/** Maximum time for the service to close all connections when the master shuts down (ms). */
const STOP_MS = 5_000;

/** Pause before the next attempt if the service could not start (ms). */
const RECONNECT_MS = 1_000;

/**
 * Maximum number of messages of the service that the master handles at the same time. The service sends fewer
 * requests at a time (service-side/view-turns.ts). Thus the master always reads the messages that end changes and
 * writes.
 */
const MAX_PENDING = 1_024;

/** The address on which the SSH server listens. */
type Bound = Pick<SshServer, 'host' | 'port'>;

export interface SshServiceOptions {
  /** Path of the service's socket. */
  readonly socket: string;
  readonly start: Omit<StartParams, 'settings'>;
  /** Returns the current settings. */
  readonly settings: () => ServiceSettings;
  readonly log: BaseLogger;
  /** Interval of the pings that detect a hanging service (ms); see {@link watchService} for the default. */
  readonly pingMs?: number | undefined;
  /** Maximum time for the SSH server to start (ms); 30 s by default. */
  readonly startMs?: number;
  /**
   * Kills the processes of the service. Default: the processes of its unit. @returns the number of killed processes
   */
  readonly kill?: () => Promise<number>;
}

/**
 * The master's connection to the SSH service: the process that runs the SSH server and has the access to the files.
 * If this process ends, all sessions end. systemd then starts it again, and the master reconnects.
 */
export class SshServiceClient {
  /** Runs tasks on files in the service. They throw SSH_SERVICE_ENDED while no service runs. */
  readonly jobs: FileJobs;
  readonly #jobs: RemoteFileJobs;
  readonly #options: SshServiceOptions;
  readonly #proofs = new UsedProofs();
  #peer: Peer<typeof toService> | null = null;
  #isReady = false;
  #closed = false;

  constructor(options: SshServiceOptions) {
    this.#options = options;
    this.#jobs = new RemoteFileJobs(() => this.#service());
    this.jobs = this.#jobs;
  }

  /** Whether the service's SSH server is listening. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Connects to the service, and starts its SSH server. If an attempt fails, the master tries again later. Until
   * then, it runs without SSH, because services and players do not need SSH.
   */
  async start(backend: SshBackend): Promise<SshServer> {
    const { host, port } = this.#options.start;
    const bound = await this.#tryToConnect(backend, port);
    return { ...(bound ?? { host, port }), close: () => this.#close() };
  }

  /** Sends the current settings. Resolves when they apply to all sessions. */
  async applySettings(): Promise<void> {
    // While the service is starting, the call may fail, but the service gets the current settings when it starts.
    await this.#peer?.call('settings', this.#options.settings()).catch(() => undefined);
  }

  /** Connects to the service, and makes it listen on a port. */
  async #connect(backend: SshBackend, port: number): Promise<Bound> {
    const { socket: path, start, settings, log } = this.#options;
    const sessions = new ServedSessions();
    const over = new AbortController();
    // Each connection for a channel of the admin API adds a listener to this signal.
    setMaxListeners(0, over.signal);
    let bound: Bound | null = null;
    const stream = await this.#dial(path);
    if (this.#closed) {
      stream.destroy();
      throw new OverworldError('SSH_SERVICE_ENDED', { what: 'its start' });
    }
    const peer: Peer<typeof toService> = connectPeer({
      stream,
      sends: toService,
      receives: toMaster,
      log,
      handlers: masterHandlers({
        backend,
        sessions,
        proofs: this.#proofs,
        jobs: this.#jobs,
        service: () => peer,
        onStuck: () => this.#endHung(peer, 'it did not close a connection in time'),
      }),
      limits: {
        maxAnswerBytes: MAX_MESSAGE_BYTES,
        maxRequestBytes: MAX_REQUEST_OF_SERVICE_BYTES,
        maxPending: MAX_PENDING,
      },
      onClose: () => {
        this.#peer = null;
        this.#isReady = false;
        over.abort();
        void sessions.endAll();
        if (bound !== null) this.#reconnect(backend, bound.port);
      },
    });
    this.#peer = peer;
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      this.#endHung(peer, 'it did not start in time');
    }, this.#options.startMs ?? CONNECT_MS);
    try {
      bound = await peer.call('start', { ...start, port, settings: settings() });
      this.#isReady = true;
    } catch (error) {
      peer.close();
      if (!late.signal.aborted) throw error;
      throw new OverworldError('SSH_SERVICE_UNREACHABLE', { path, why: 'it did not start in time' }, error);
    } finally {
      clearTimeout(timer);
    }
    watchService(peer, {
      signal: over.signal,
      pingMs: this.#options.pingMs,
      onHung: () => this.#endHung(peer, 'it has not answered for some time'),
    });
    serveApiOn(path, { sessions, log, signal: over.signal });
    return bound;
  }

  /**
   * Disconnects from a service that hangs, and kills it, because a hanging process does not notice the disconnection.
   */
  #endHung(peer: Pick<Peer<typeof toService>, 'close'>, why: string): void {
    const { log, kill = killSshUnit } = this.#options;
    peer.close();
    kill().then(
      (processes) =>
        processes > 0
          ? log.error({ processes }, `killed the SSH service: ${why}`)
          : log.error(`found no process of the SSH service to kill: ${why}. Restart the unit overworld-ssh`),
      (error: unknown) => log.error({ err: error }, 'the SSH service cannot be killed'),
    );
  }

  async #close(): Promise<void> {
    this.#closed = true;
    const peer = this.#peer;
    if (peer === null) return;
    const timer = setTimeout(() => peer.close(), STOP_MS);
    // A service that does not stop in time is disconnected, and then exits.
    await peer.call('stop', {}).catch(() => undefined);
    clearTimeout(timer);
    peer.close();
  }

  #service(): Peer<typeof toService> {
    if (this.#peer === null) throw new OverworldError('SSH_SERVICE_ENDED', { what: 'the task on files' });
    return this.#peer;
  }

  #reconnect(backend: SshBackend, port: number): void {
    if (this.#closed) return;
    const { log } = this.#options;
    log.error('the SSH service has ended, and with it all sessions; waiting for the next one');
    void this.#tryToConnect(backend, port);
  }

  /** Connects to the service. If this fails, returns null, and tries again later. */
  async #tryToConnect(backend: SshBackend, port: number): Promise<Bound | null> {
    const { log } = this.#options;
    try {
      const bound = await this.#connect(backend, port);
      log.info({ port: bound.port }, 'connected to the SSH service');
      return bound;
    } catch (error) {
      if (this.#closed) return null;
      log.error({ err: error }, 'the SSH service does not start; trying again');
      setTimeout(() => void this.#tryToConnect(backend, port), RECONNECT_MS).unref();
      return null;
    }
  }

  async #dial(path: string): Promise<Socket> {
    const until = monotonicMs() + CONNECT_MS;
    for (;;) {
      try {
        return await dial(path);
      } catch (error) {
        if (this.#closed || monotonicMs() >= until) {
          const why = error instanceof Error ? error.message : String(error);
          throw new OverworldError('SSH_SERVICE_UNREACHABLE', { path, why }, error);
        }
      }
      await delay(RETRY_MS);
    }
  }
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
