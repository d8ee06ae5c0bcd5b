import { ApiError } from '../http/api-error.ts';
import { toTime, type FakeClock } from './clock.ts';
import type { TypeRecord, ImageRecord } from './catalog.ts';
import type { Faults } from '../http/faults.ts';
import type { MachineHooks } from './machine-hooks.ts';
import { parseSelector } from './label-selector.ts';
import { Stock } from './stock.ts';

export interface ResourceName {
  readonly id: number;
  readonly type: 'server' | 'firewall' | 'image' | 'primary_ip';
}

export interface ActionRecord {
  readonly id: number;
  readonly command: string;
  status: 'running' | 'success' | 'error';
  readonly started: number;
  finished: number | null;
  readonly resources: readonly ResourceName[];
  error: { code: string; message: string } | null;
}

export type ServerStatus =
  'initializing' | 'starting' | 'running' | 'stopping' | 'off' | 'deleting' | 'unknown';

export interface ServerRecord {
  readonly id: number;
  name: string;
  status: ServerStatus;
  readonly created: number;
  /** Time of deletion; null while the server exists. The fake keeps deleted servers only for the bill. */
  deleted: number | null;
  readonly type: TypeRecord;
  readonly location: string;
  readonly image: ImageRecord;
  labels: Record<string, string>;
  readonly userData: string;
  readonly sshKeys: readonly string[];
  readonly primaryIps: number[];
  firewalls: number[];
  protected: boolean;
}

export interface PrimaryIpRecord {
  readonly id: number;
  name: string;
  readonly created: number;
  readonly location: string;
  readonly type: 'ipv4' | 'ipv6';
  readonly ip: string;
  autoDelete: boolean;
  protected: boolean;
  server: number | null;
  labels: Record<string, string>;
}

export interface FirewallRule {
  readonly description: string | null;
  readonly direction: 'in' | 'out';
  readonly source_ips: readonly string[];
  readonly destination_ips: readonly string[];
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'esp' | 'gre';
  readonly port: string | null;
}

export interface FirewallRecord {
  readonly id: number;
  name: string;
  readonly created: number;
  labels: Record<string, string>;
  rules: readonly FirewallRule[];
  /** Label selectors to which the firewall is applied, in addition to single servers. */
  selectors: string[];
}

export interface SshKeyRecord {
  readonly id: number;
  name: string;
  readonly created: number;
  readonly publicKey: string;
  readonly fingerprint: string;
  labels: Record<string, string>;
}

/** Limits of an account (docs/adr/0018). */
export interface AccountLimits {
  servers: number;
  primaryIps: number;
  firewalls: number;
}

interface Work {
  /** Time at which the action ends at the earliest (ms since epoch). */
  readonly dueAt: number;
  readonly after: ActionRecord | undefined;
  /**
   * Work that takes additional time, such as booting a machine. If the work fails, the action ends with the status
   * `error`.
   */
  readonly job: () => Promise<void>;
  readonly onSuccess: () => void;
  readonly onFailure: () => void;
  begun: Promise<void> | null;
  outcome: { readonly error: unknown } | null;
}

/** All objects in the fake's only project, and the actions that change them. */
export class World {
  readonly servers = new Map<number, ServerRecord>();
  readonly primaryIps = new Map<number, PrimaryIpRecord>();
  readonly firewalls = new Map<number, FirewallRecord>();
  readonly sshKeys = new Map<number, SshKeyRecord>();
  readonly actions = new Map<number, ActionRecord>();
  readonly stock = new Stock();
  readonly limits: AccountLimits = { servers: 100, primaryIps: 200, firewalls: 50 };
  readonly clock: FakeClock;
  readonly faults: Faults;
  readonly hooks: MachineHooks;
  /** Duration of an action (ms). */
  actionMs: number;
  #lastId = 1000;
  readonly #work = new Map<ActionRecord, Work>();

  constructor(options: { clock: FakeClock; faults: Faults; hooks: MachineHooks; actionMs: number }) {
    this.clock = options.clock;
    this.faults = options.faults;
    this.hooks = options.hooks;
    this.actionMs = options.actionMs;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /**
   * Starts an action. Calls `onSuccess` when the action succeeds, and `onFailure` when it fails. If the action
   * `after` fails, the new action fails, too, without a call.
   */
  begin(
    command: string,
    resources: readonly ResourceName[],
    work: {
      onSuccess?: () => void;
      onFailure?: () => void;
      job?: () => Promise<void>;
      after?: ActionRecord;
    } = {},
  ): ActionRecord {
    const started = this.clock.now();
    const action: ActionRecord = {
      id: this.nextId(),
      command,
      status: 'running',
      started,
      finished: null,
      resources,
      error: null,
    };
    this.actions.set(action.id, action);
    this.#work.set(action, {
      dueAt: started + this.actionMs,
      after: work.after,
      job: work.job ?? (() => Promise.resolve()),
      onSuccess: work.onSuccess ?? (() => undefined),
      onFailure: work.onFailure ?? (() => undefined),
      begun: null,
      outcome: null,
    });
    this.settle();
    return action;
  }

  /** Ends all actions that are due. Called before every access. */
  settle(): void {
    for (const [action, work] of this.#work) this.#drive(action, work);
  }

  /** Returns a server's running actions. A server is locked while it has running actions. */
  runningOn(server: ServerRecord): ActionRecord[] {
    return [...this.#work.keys()].filter(({ resources }) =>
      resources.some(({ type, id }) => type === 'server' && id === server.id),
    );
  }

  /**
   * Returns the server with this ID.
   *
   * @throws ApiError not_found
   */
  server(id: number): ServerRecord {
    const server = this.servers.get(id);
    if (server?.deleted !== null) {
      throw new ApiError(404, { code: 'not_found', message: `server with ID '${id}' not found` });
    }
    return server;
  }

  living(): ServerRecord[] {
    return [...this.servers.values()].filter(({ deleted }) => deleted === null);
  }

  /** Returns whether one of the firewall's selectors matches the server. */
  selects(firewall: FirewallRecord, server: ServerRecord): boolean {
    return firewall.selectors.some((selector) => parseSelector(selector)(server.labels));
  }

  #drive(action: ActionRecord, work: Work): void {
    if (work.after?.status === 'running') return;
    if (work.after?.status === 'error') {
      this.#end(action, { code: 'action_failed', message: 'the action before it failed' });
      return;
    }
    work.begun ??= work
      .job()
      .then(() => (work.outcome = { error: null }))
      .catch((error: unknown) => (work.outcome = { error }))
      .then(() => this.settle());
    if (work.outcome === null || this.clock.now() < work.dueAt) return;
    const { error } = work.outcome;
    if (error !== null || this.faults.takeAction(action.command)) {
      const message = error instanceof Error ? error.message : 'Action failed';
      this.#end(action, { code: 'action_failed', message });
      work.onFailure();
      return;
    }
    this.#end(action, null);
    work.onSuccess();
  }

  #end(action: ActionRecord, error: ActionRecord['error']): void {
    action.status = error === null ? 'success' : 'error';
    action.error = error;
    action.finished = this.clock.now();
    this.#work.delete(action);
  }
}

export function toActionView(action: ActionRecord): object {
  return {
    id: action.id,
    command: action.command,
    status: action.status,
    progress: action.status === 'running' ? 50 : 100,
    started: toTime(action.started),
    finished: action.finished === null ? null : toTime(action.finished),
    resources: action.resources,
    error: action.error,
  };
}
