import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Contact, ContactState } from '../contact.ts';
import type { Machine, Machines } from '../machines.ts';
import { delayAfter, LONGEST_WHILE_BOOTING_MS, LONGEST_WHILE_SILENT_MS } from './backoff.ts';
import { connect } from './connect.ts';
import { NodeConnection, type Broken } from './connection.ts';
import { rejectOnAbort } from './execution.ts';
import { ContactShell, shellOf } from './contact-shell.ts';
import { NotPrepared, type NodeReadiness, type NodePreparer } from '../bootstrap/node-preparer.ts';
import { whyOf } from '../why-of.ts';

const NOT_KEPT = 'it is no longer managed';

/** Differences between a silent node and one whose set-up has begun. */
const SETTING_UP = {
  kind: 'unprepared',
  isSettingUp: true,
  problem: 'its set-up has not finished yet',
} as const;

/**
 * Interval between checks of a ready node's clock, disk and Java (ms). {@link LOOK_FOR_JAVA_MS} is the interval while
 * Java is missing.
 */
const LOOK_MS = 60_000;
const LOOK_FOR_JAVA_MS = 15_000;

/** Number of consecutive failed checks after which a node counts as not working, although it accepts connections. */
const MISSES = 2;

/** Dependencies of a {@link MachineContact}, in addition to its machine. */
export interface MachineContactOptions {
  /** The master's private key (OpenSSH text). */
  readonly key: string;
  readonly preparer: NodePreparer;
  readonly remember: Machines['remember'];
  /** Called when {@link MachineContact.state} or another property has changed. */
  onChange(): void;
  /**
   * Called with an event for the log (a clause such as `was inspected`) and its reason; `why` is null if there is no
   * reason.
   */
  onEvent(event: string, why: string | null): void;
}

/** Keeps a connection to one machine, sets it up, and reports its state. */
export class MachineContact implements Contact {
  readonly shell: ContactShell;
  readonly #options: MachineContactOptions;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #machine: Machine;
  #state: ContactState;
  #found: NodeReadiness = { hasJava: false, warning: null };
  #wasReady: boolean;
  /** Aborts the wait before the next attempt to connect. */
  #hurry = new AbortController();
  /** Number of consecutive failures to connect. It determines the delay before the next attempt. */
  #failures = 0;
  #reconnects = 0;
  /** When the node last answered why it could not be prepared (ms on the monotonic clock). */
  #answeredAt = -Infinity;

  constructor(machine: Machine, options: MachineContactOptions) {
    this.#options = options;
    this.#machine = machine;
    this.#wasReady = machine.readyAt !== null;
    this.shell = new ContactShell(machine.node);
    this.#state = this.#wasReady
      ? { kind: 'silent', since: monotonicMs(), problem: 'this master has not reached it yet' }
      : { kind: 'waiting', problem: null };
    this.#done = this.#live();
  }

  get state(): ContactState {
    return this.#state;
  }

  get hasJava(): boolean {
    return this.#found.hasJava;
  }

  get warning(): string | null {
    return this.#found.warning;
  }

  /** Stores the current facts about the machine from the provider. */
  update(machine: Machine): void {
    const { address, hostKeys } = this.#machine;
    this.#machine = machine;
    this.#wasReady ||= machine.readyAt !== null;
    // Attempts that failed before may succeed with a new address or key.
    if (address !== machine.address || hostKeys.join() !== machine.hostKeys.join()) this.#hurry.abort();
  }

  /** Closes the connection and ends the attempts to connect. Resolves when no work is in progress. */
  async close(): Promise<void> {
    this.#end.abort();
    this.#hurry.abort();
    await this.#done;
  }

  async #live(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#runSession(signal);
      await this.#pause();
    }
    this.shell.detach(NOT_KEPT);
  }

  /** Handles one connection from login until it closes. */
  async #runSession(signal: AbortSignal): Promise<void> {
    const { node, address, sshPort, hostKeys } = this.#machine;
    if (address === null) return;
    const target = { node, host: address, port: sshPort, pins: hostKeys };
    let connection: NodeConnection | null = null;
    const end = (): void => connection?.end(NOT_KEPT);
    signal.addEventListener('abort', end, { once: true });
    try {
      connection = new NodeConnection(node, await connect(target, this.#options.key, signal));
      const found = await Promise.race([this.#prepare(connection), rejectOnAbort(signal)]);
      if (found === 'reconnect') {
        // The node answers, so the retry follows soon, but the delay grows if this repeats.
        this.#failures = this.#reconnects++;
        return;
      }
      this.#stand(connection, found);
      this.#lose(await Promise.race([connection.broken, this.#watch(connection)]));
    } catch (error) {
      if (!signal.aborted) this.#fail(error, connection !== null);
    } finally {
      signal.removeEventListener('abort', end);
      connection?.end('it is being reconnected');
    }
  }

  #prepare(connection: NodeConnection): Promise<NodeReadiness | 'reconnect'> {
    const step = (text: string): void => {
      if (!this.#wasReady) this.#setState({ kind: 'preparing', step: text });
      else if (this.#state.kind === 'silent') this.#setState({ ...this.#state, ...SETTING_UP });
    };
    const pin = async (hostKeys: readonly string[]): Promise<void> => {
      await this.#options.remember(this.#machine.node, { hostKeys });
      // The next connection may start before update() is called with the new keys.
      this.#machine = { ...this.#machine, hostKeys };
    };
    // A node that was ready before stays `silent` until its set-up reports a step, because a node with a broken disk
    // may accept logins, but run no commands.
    if (!this.#wasReady) step('It answers.');
    const { hostKey } = connection;
    const shell = shellOf(connection);
    return this.#options.preparer.prepare({ machine: this.#machine, shell, hostKey, step, pin });
  }

  #stand(connection: NodeConnection, found: NodeReadiness): void {
    this.#found = found;
    this.#failures = 0;
    this.#reconnects = 0;
    this.#wasReady = true;
    this.#options.onEvent('is connected and ready', found.warning);
    this.shell.attach(connection);
    this.#setState({ kind: 'ready' });
  }

  /**
   * Checks a ready node at intervals.
   *
   * @returns why the connection can no longer be used: it broke, or the node no longer responds to commands
   */
  async #watch(connection: NodeConnection): Promise<Broken> {
    const shell = shellOf(connection);
    const ended = new AbortController();
    void connection.broken.then(() => ended.abort());
    let misses = 0;
    for (;;) {
      await this.#sleep(this.#found.hasJava ? LOOK_MS : LOOK_FOR_JAVA_MS, ended.signal);
      if (ended.signal.aborted) return connection.broken;
      try {
        this.#note(await this.#options.preparer.check({ shell, machine: this.#machine }));
        misses = 0;
      } catch (error) {
        misses += 1;
        if (misses >= MISSES)
          return { why: `it does not respond to commands: ${whyOf(error)}`, lastDataAt: monotonicMs() };
      }
    }
  }

  #note(found: NodeReadiness): void {
    const { hasJava, warning } = this.#found;
    this.#found = found;
    if (hasJava === found.hasJava && warning === found.warning) return;
    if (warning !== found.warning) this.#options.onEvent('was inspected', found.warning);
    this.#options.onChange();
  }

  #lose({ why, lastDataAt }: Broken): void {
    this.#options.onEvent('was lost', why);
    this.shell.detach(why);
    this.#setState({ kind: 'silent', since: lastDataAt, problem: why });
  }

  #fail(error: unknown, answered: boolean): void {
    const why = whyOf(error);
    this.#failures += 1;
    const state = this.#state;
    if (problemOf(state) !== why)
      this.#options.onEvent(answered ? 'could not be made ready' : 'was not reached', why);
    if (this.#wasReady) this.#setState(this.#notReadyNow(error));
    else if (answered)
      this.#setState({ kind: 'preparing', step: `It is not ready yet: ${why}. The master retries.` });
    else this.#setState({ kind: 'waiting', problem: why });
  }

  /**
   * Returns the state of a node that was ready before: `silent`, or `unprepared` if it answers. An unprepared node
   * does not count as lost.
   */
  #notReadyNow(error: unknown): ContactState {
    const state = this.#state;
    const problem = whyOf(error);
    if (error instanceof NotPrepared) {
      this.#answeredAt = monotonicMs();
      const since = state.kind === 'silent' || state.kind === 'unprepared' ? state.since : monotonicMs();
      return { kind: 'unprepared', since, problem };
    }
    const silentSince = 'since' in state ? Math.max(state.since, this.#answeredAt) : monotonicMs();
    return { kind: 'silent', since: silentSince, problem };
  }

  async #pause(): Promise<void> {
    const longest = this.#wasReady ? LONGEST_WHILE_SILENT_MS : LONGEST_WHILE_BOOTING_MS;
    this.#hurry = new AbortController();
    const stop = AbortSignal.any([this.#hurry.signal, this.#end.signal]);
    await this.#sleep(delayAfter(this.#failures, longest, Math.random()), stop);
  }

  async #sleep(ms: number, stop: AbortSignal): Promise<void> {
    // `sleep` rejects when the signal is aborted, which only shortens the wait.
    await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  }

  #setState(state: ContactState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

function problemOf(state: ContactState): string | null {
  return 'problem' in state ? state.problem : null;
}
