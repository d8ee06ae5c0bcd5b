import type { NodeShell } from '#master/nodes/shell.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { ServiceLocation } from '../runtime.ts';
import type { LogStore } from '../log/log-store.ts';
import { JournalFollower } from './journal-follower.ts';
import { JournalLogs } from './journal-logs.ts';
import type { NodeTool } from './node-tool.ts';
import { journalEndAnswer, MAX_SERVICES } from './tool-answers.ts';

/** Maximum time to wait for the last lines of an ended service (ms). */
const SETTLE_MS = 10_000;

export interface NodeLogsOptions {
  readonly node: string;
  readonly shell: NodeShell;
  readonly tool: NodeTool;
  readonly logs: LogStore;
  /** Returns where a service belongs, from the point of view of this node. */
  readonly whereIs: (id: ServiceId) => ServiceLocation;
  /** Called after systemd reported the end of a service and all its output is in its log. */
  readonly ended: (id: ServiceId) => void;
  readonly failed: (error: unknown) => void;
}

/** Logs of one node's services: follows the node's journal and tracks which logs may still grow. */
export class NodeLogs {
  readonly #options: NodeLogsOptions;
  readonly #leave: () => void;
  /** Services that were started and may still write: their end, including the last lines, has not been seen. */
  readonly #growing = new Set<ServiceId>();
  readonly #opened: Promise<JournalFollower>;
  #journal: JournalLogs | null = null;
  /** The services of `#growing` that have ended and whose last lines are still expected. */
  readonly #ending = new Set<ServiceId>();
  #settling: Promise<void> = Promise.resolve();
  /** Services observed on the node; each is marked as growing only once. */
  readonly #seen = new Set<ServiceId>();

  constructor(options: NodeLogsOptions) {
    this.#options = options;
    this.#leave = options.logs.addWriter({ mayGrow: (id) => this.#mayGrow(id) });
    this.#opened = this.#open();
    // The first call that awaits it reports the error.
    this.#opened.catch(() => undefined);
  }

  /** Marks a service whose process may write from now on. */
  grow(id: ServiceId): void {
    this.#growing.add(id);
    this.#ending.delete(id);
  }

  /**
   * Marks services that were observed on the node, running or ended. The output so far of those that belong there
   * is accepted, even if the master has forgotten them by the time it arrives.
   */
  expect(ids: readonly ServiceId[]): void {
    for (const id of ids) {
      if (this.#seen.has(id) || this.#options.whereIs(id) !== 'here') continue;
      this.#seen.add(id);
      this.grow(id);
    }
    const there = new Set(ids);
    for (const id of this.#seen) if (!there.has(id)) this.#seen.delete(id);
  }

  /**
   * Updates to an observation: logs of services that neither run nor may be started are ended once all their lines
   * have arrived. Starts this in the background.
   *
   * @param growing services that run or may be started
   */
  observe(growing: ReadonlySet<ServiceId>): void {
    for (const id of growing) if (this.#isHeard(id)) this.grow(id);
    const ended = [...this.#unended()].filter((id) => !growing.has(id) && !this.#ending.has(id));
    if (ended.length === 0) return;
    for (const id of ended) this.#ending.add(id);
    // Runs one after the other, so that waiting for the last one waits for all.
    this.#settling = this.#settling
      .then(() => this.#settle(ended))
      .catch((error: unknown) => {
        // It is repeated when the node is reachable again.
        if (!hasCode(error, 'NODE_UNREACHABLE')) this.#options.failed(error);
      })
      .finally(() => {
        for (const id of ended) this.#ending.delete(id);
      });
  }

  /**
   * Ends the log of a service once its output up to a cursor has arrived. Stops waiting after {@link SETTLE_MS} and
   * then leaves the log open.
   */
  async end(id: ServiceId, cursor: string | null): Promise<void> {
    const follower = await this.#opened;
    if (cursor === null || (await follower.reach(cursor, SETTLE_MS))) await this.#drop(id);
  }

  /** Waits, up to {@link SETTLE_MS}, until the last lines of services observed as ended are in their logs. */
  async settled(): Promise<void> {
    await this.#opened;
    await this.#settling;
  }

  /** @param nodeGone whether the node is removed */
  async close(nodeGone: boolean): Promise<void> {
    const follower = await this.#opened.catch(() => null);
    await follower?.close();
    this.#leave();
    await this.#journal?.close(nodeGone);
  }

  async #open(): Promise<JournalFollower> {
    const { node, logs, shell, ended, failed } = this.#options;
    await logs.open();
    this.#journal = await JournalLogs.open(node, logs);
    return new JournalFollower({
      shell,
      logs: this.#journal,
      isHeard: (id, kind) => this.#isHeard(id, kind),
      ended,
      failed,
    });
  }

  /**
   * Returns whether the node's report about a service is accepted. It is if the service belongs there (up to a
   * maximum number), or if the master has forgotten the service while its last lines were on their way.
   *
   * @param kind `line`: the service writes, and is marked as growing. `ended`: systemd reports one end several
   *   times, sometimes after the last line, so this must not mark the log as growing again
   */
  #isHeard(id: ServiceId, kind: 'line' | 'ended' = 'line'): boolean {
    const known = this.#mayGrow(id);
    const where = this.#options.whereIs(id);
    if (known || where !== 'here') return known && where !== 'elsewhere';
    if (kind === 'ended') return true;
    if (this.#unended().size >= MAX_SERVICES) return false;
    // Mark it immediately, because further services may be named in the same batch.
    this.#growing.add(id);
    return true;
  }

  #mayGrow(id: ServiceId): boolean {
    return this.#growing.has(id) || (this.#journal?.has(id) ?? false);
  }

  #unended(): Set<ServiceId> {
    return new Set([...this.#growing, ...(this.#journal?.services ?? [])]);
  }

  async #settle(ids: readonly ServiceId[]): Promise<void> {
    const { tool } = this.#options;
    const follower = await this.#opened;
    const { cursor } = await tool.call({
      command: 'journal_end',
      what: 'read its journal',
      request: {},
      answer: journalEndAnswer,
    });
    if (cursor !== null && !(await follower.reach(cursor, SETTLE_MS))) return;
    // Skip services that were started again meanwhile.
    for (const id of ids) if (this.#ending.has(id)) await this.#drop(id);
  }

  async #drop(id: ServiceId): Promise<void> {
    await this.#journal?.end(id);
    this.#growing.delete(id);
  }
}
