import type { NodeShell } from '#master/nodes/shell.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Whereabouts } from '../runtime.ts';
import type { LogStore } from '../log/log-store.ts';
import { JournalFollower } from './journal-follower.ts';
import { JournalLogs } from './journal-logs.ts';
import type { NodeTool } from './node-tool.ts';
import { journalEndAnswer, MAX_SERVICES } from './tool-answers.ts';

/** Lines of an ended service that are still on their way are waited for so long, ms. */
const SETTLE_MS = 10_000;

export interface NodeLogsOptions {
  readonly node: string;
  readonly shell: NodeShell;
  readonly tool: NodeTool;
  readonly logs: LogStore;
  /** Whether this node may say anything of a service. */
  readonly whereIs: (id: ServiceId) => Whereabouts;
  /** systemd said that a service has ended, and all it wrote before that stands in its log. */
  readonly ended: (id: ServiceId) => void;
  readonly failed: (error: unknown) => void;
}

/** The logs of one node's services: follows its journal, and knows which of them may still grow. */
export class NodeLogs {
  readonly #options: NodeLogsOptions;
  readonly #leave: () => void;
  /** Services that were begun and whose end has not been seen with all its lines. */
  readonly #growing = new Set<ServiceId>();
  readonly #opened: Promise<JournalFollower>;
  #journal: JournalLogs | null = null;
  /** Of those the ones that have ended, whose last lines are waited for. */
  readonly #ending = new Set<ServiceId>();
  #settling: Promise<void> = Promise.resolve();
  /** Services that were seen on the node, each counted as growing once. */
  readonly #seen = new Set<ServiceId>();

  constructor(options: NodeLogsOptions) {
    this.#options = options;
    this.#leave = options.logs.addWriter({ mayGrow: (id) => this.#mayGrow(id) });
    this.#opened = this.#open();
    // Told by the first call that needs it.
    this.#opened.catch(() => undefined);
  }

  /** This service may write from now on. */
  grow(id: ServiceId): void {
    this.#growing.add(id);
    this.#ending.delete(id);
  }

  /**
   * These were seen on the node, running or ended: what those of them that belong there wrote so far is taken, also when
   * the master has let go of them by the time it comes.
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
   * Brings it up to what was observed: logs of services that neither run nor are about to are ended once all their lines
   * have come. Begins that, and does not wait.
   *
   * @param growing services that run or may be started
   */
  observe(growing: ReadonlySet<ServiceId>): void {
    for (const id of growing) if (this.#isHeard(id)) this.grow(id);
    const ended = [...this.#unended()].filter((id) => !growing.has(id) && !this.#ending.has(id));
    if (ended.length === 0) return;
    for (const id of ended) this.#ending.add(id);
    // One after the other: whoever waits for the last one has waited for all.
    this.#settling = this.#settling
      .then(() => this.#settle(ended))
      .catch((error: unknown) => {
        // Asked for again once the node is back.
        if (!hasCode(error, 'NODE_UNREACHABLE')) this.#options.failed(error);
      })
      .finally(() => {
        for (const id of ended) this.#ending.delete(id);
      });
  }

  /** A service has ended, and its lines end before a cursor. Waits for them, for a while. */
  async end(id: ServiceId, cursor: string | null): Promise<void> {
    const follower = await this.#opened;
    if (cursor === null || (await follower.reach(cursor, SETTLE_MS))) await this.#drop(id);
  }

  /** Waits until lines of services that were seen to have ended stand in their logs, for a while. */
  async settled(): Promise<void> {
    await this.#opened;
    await this.#settling;
  }

  /** @param nodeGone nothing comes from this node again */
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
   * Whether what the node says of a service is taken: of those that belong there, of not too many, and of those that the
   * master has let go of while their last lines were on their way.
   *
   * @param kind `line` (by default): it writes, and counts as growing from now on. systemd says several things about one
   *   end, some of them when all lines have come: these must not make the log grow again
   */
  #isHeard(id: ServiceId, kind: 'line' | 'ended' = 'line'): boolean {
    const known = this.#mayGrow(id);
    const where = this.#options.whereIs(id);
    if (known || where !== 'here') return known && where !== 'elsewhere';
    if (kind === 'ended') return true;
    if (this.#unended().size >= MAX_SERVICES) return false;
    // Counted at once: the next ones may be claimed with the same breath.
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
    // One that was begun again meanwhile goes on.
    for (const id of ids) if (this.#ending.has(id)) await this.#drop(id);
  }

  async #drop(id: ServiceId): Promise<void> {
    await this.#journal?.end(id);
    this.#growing.delete(id);
  }
}
