import type { NodeShell } from '#master/nodes/shell.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { ServiceLocation } from '../../runtime.ts';
import type { LogStore } from '../../log/log-store.ts';
import { JournalFollower } from './journal-follower.ts';
import { JournalLogs } from './journal-logs.ts';
import type { NodeTool } from '../node-tool.ts';
import { journalEndAnswer, MAX_SERVICES } from '../tool-answers.ts';

/** Maximum time to wait for the last lines of an exited service (ms). */
const SETTLE_MS = 10_000;

export interface NodeLogsOptions {
  readonly node: string;
  readonly shell: NodeShell;
  readonly tool: NodeTool;
  readonly logs: LogStore;
  /** Group of proxies on the node. */
  readonly group: string;
  /** Returns where a service belongs, from the point of view of this node. */
  readonly whereIs: (id: ServiceId) => ServiceLocation;
  /** Called after systemd reported the exit of a service and all its output is in its log. */
  readonly ended: (id: ServiceId) => void;
  readonly failed: (error: unknown) => void;
}

/** Logs of one node's services: follows the node's journal and tracks which logs may still grow. */
export class NodeLogs {
  readonly #options: NodeLogsOptions;
  readonly #leave: () => void;
  /** Services that were started and may still write, because their exit and last lines have not been read yet. */
  readonly #growing = new Set<ServiceId>();
  readonly #opened: Promise<JournalFollower>;
  #journal: JournalLogs | null = null;
  /** Services of `#growing` that have exited and whose last lines are still expected. */
  readonly #ending = new Set<ServiceId>();
  #settling: Promise<void> = Promise.resolve();
  /** Services observed on the node; each is marked as growing only once. */
  readonly #seen = new Set<ServiceId>();

  constructor(options: NodeLogsOptions) {
    this.#options = options;
    this.#leave = options.logs.addWriter({ mayGrow: (id) => this.#mayGrow(id) });
    this.#opened = this.#open();
    // The error is reported by the first call that awaits this promise.
    this.#opened.catch(() => undefined);
  }

  /** Marks the log of a service as growing, because the service's process may write to it from now on. */
  grow(id: ServiceId): void {
    this.#growing.add(id);
    this.#ending.delete(id);
  }

  /**
   * Registers services that were observed on the node, running or exited. If they belong to this node, the output
   * that they have written so far is accepted, even if the master has removed them when the output arrives.
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
   * Updates the logs after an observation. In the background, closes the log of each service that neither runs nor
   * may be started, once all lines of that service have arrived.
   *
   * @param growing services that run or may be started
   */
  observe(growing: ReadonlySet<ServiceId>): void {
    for (const id of growing) if (this.#accepts(id)) this.grow(id);
    const ended = [...this.#unended()].filter((id) => !growing.has(id) && !this.#ending.has(id));
    if (ended.length === 0) return;
    for (const id of ended) this.#ending.add(id);
    // The steps run one after the other, so that waiting for the last one means waiting for all.
    this.#settling = this.#settling
      .then(() => this.#settle(ended))
      .catch((error: unknown) => {
        // If the node is unreachable, the step is repeated when it is back.
        if (!hasCode(error, 'NODE_UNREACHABLE')) this.#options.failed(error);
      })
      .finally(() => {
        for (const id of ended) this.#ending.delete(id);
      });
  }

  /**
   * Closes the log of a service once the output up to a cursor has arrived; at once if the cursor is null, because no
   * service has written anything. If the output does not arrive within 10 s, the log stays open.
   */
  async end(id: ServiceId, cursor: string | null): Promise<void> {
    const follower = await this.#opened;
    if (cursor === null || (await follower.reach(cursor, SETTLE_MS))) await this.#drop(id);
  }

  /**
   * For services that were observed as exited, waits until their last lines are in their logs. Waits for at most 10 s
   * after the node has reported the last position in its journal.
   */
  async settled(): Promise<void> {
    await this.#opened;
    await this.#settling;
  }

  /**
   * Stops following the journal.
   *
   * @param nodeGone whether the node is removed, so that the position in its journal is deleted and not saved
   */
  async close(nodeGone: boolean): Promise<void> {
    const follower = await this.#opened.catch(() => null);
    await follower?.close();
    this.#leave();
    await this.#journal?.close(nodeGone);
  }

  async #open(): Promise<JournalFollower> {
    const { node, logs, group, shell, ended, failed } = this.#options;
    await logs.open();
    this.#journal = await JournalLogs.open(node, logs);
    return new JournalFollower({
      shell,
      logs: this.#journal,
      group,
      accepts: (id, kind) => this.#accepts(id, kind),
      ended,
      failed,
    });
  }

  /**
   * Decides whether to accept the node's report about a service: yes if the service belongs to the node, or if the
   * master removed it before its last lines arrived. A new log is refused once {@link MAX_SERVICES} logs may grow.
   *
   * @param kind `line`: a line of the service, which marks its log as growing. `ended`: the exit of the service,
   *   which never marks the log as growing, because systemd may report an exit again after the last line
   */
  #accepts(id: ServiceId, kind: 'line' | 'ended' = 'line'): boolean {
    const known = this.#mayGrow(id);
    const where = this.#options.whereIs(id);
    if (known || where !== 'here') return known && where !== 'elsewhere';
    if (kind === 'ended') return true;
    if (this.#unended().size >= MAX_SERVICES) return false;
    // Marked immediately, because the same batch may contain further services.
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
    // Skips services that were started again in the meantime.
    for (const id of ids) if (this.#ending.has(id)) await this.#drop(id);
  }

  async #drop(id: ServiceId): Promise<void> {
    await this.#journal?.end(id);
    this.#growing.delete(id);
  }
}
