import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { BalancerView } from '#shared/model/player-entry.ts';
import type { WantedEntry } from './balancer.ts';
import { sendsProxyHeader } from './config/entry-addition.ts';
import type { Address } from './config/address.ts';
import type { StatsSocket } from './config/facts.ts';
import type { KnownProxies } from './config/server-lines.ts';
import {
  readSection,
  renderSection,
  type RenderedSection,
  type SectionContent,
  type SectionPlan,
  type Way,
} from './config/frontend-and-backend.ts';
import { findSection, type SectionSearch } from './config/marked-part.ts';
import { applyFile, type FileOutcome } from './file-pass.ts';
import type { CheckMemory } from './haproxy/check-memory.ts';
import { readConfigFile, type ConfigPlace } from './haproxy/config-file.ts';
import {
  toJoinAddresses,
  clashOf,
  isBackendReferenced,
  readUnmanagedConfig,
  type UnmanagedConfig,
} from './unmanaged-config.ts';
import { isPortFree } from './port-free.ts';
import type { ReloadPace } from './reload-pace.ts';
import {
  applyRuntime,
  knownFrom,
  readRuntime,
  connectWorker,
  reloadAndRead,
  type WorkerConnection,
  type RuntimeOutcome,
  type DesiredRuntime,
} from './runtime-pass.ts';
import type { PlayersOn } from './runtime/diff.ts';
import type { RuntimeState } from './runtime/runtime-state.ts';
import { worstOf } from './trouble.ts';
import { viewEntries } from './view-entries.ts';

/** Settings of the balancer. They are read again for each check, so that a change takes effect at the next check. */
export interface BalancerSettings extends ConfigPlace {
  /** Options for each proxy's entry: `balancer.entry_addition` (docs/specification.md#balancer). */
  readonly entryAddition: string;
  /** Address of this machine that is shown as the join address if HAProxy listens on all addresses. */
  readonly host: string;
}

/** The inputs of one check of HAProxy and its file. */
export interface Pass {
  readonly settings: BalancerSettings;
  /** Desired entries. Null until they are known; until then, a check changes nothing. */
  readonly wanted: readonly WantedEntry[] | null;
  readonly playersOn: PlayersOn;
  readonly playersPort: number;
  /** Whether to add Overworld's section if the file has none. True if an admin has requested it. */
  readonly mayInsert: boolean;
  readonly checks: CheckMemory;
  readonly pace: ReloadPace;
  /** Returns the path of the HAProxy executable; null if this machine has none. */
  readonly findProgram: () => Promise<string | null>;
  /**
   * Reports whether the desired entries have changed since the check began. If so, another check will apply the new
   * entries.
   */
  readonly isStale: () => boolean;
}

export interface PassResult {
  readonly view: BalancerView;
  /** Whether the section exists and its addition requests a PROXY header. */
  readonly sendsProxyProtocol: boolean;
  /**
   * State of HAProxy at the end of the check. Null if HAProxy could not be reached, or runs without Overworld's
   * section.
   */
  readonly seen: RuntimeState | null;
  /** HAProxy's runtime socket; null if it could not be reached. */
  readonly at: StatsSocket['at'] | null;
  /** Commands that HAProxy rejected, for the log. */
  readonly refused: readonly string[];
}

/**
 * Reads the current state once, then brings the file and the running HAProxy to the desired state. Uses the runtime
 * socket first, then writes the file, then reloads HAProxy if the socket was not enough. Errors are part of the
 * result.
 */
export async function runPass(pass: Pass): Promise<PassResult> {
  const { configPath: path } = pass.settings;
  const [program, reading] = await Promise.all([pass.findProgram(), readConfigFile(pass.settings)]);
  if (reading.kind !== 'read') {
    if (program === null) return nothing(pass, 'absent', null);
    if (reading.kind === 'missing')
      return nothing(pass, 'trouble', new OverworldError('BALANCER_CONFIG_MISSING', { path }));
    return nothing(
      pass,
      'trouble',
      new OverworldError('BALANCER_CONFIG_UNUSABLE', { path, why: reading.why }),
    );
  }
  const found = findSection(reading.file.text);
  if (found.kind === 'none' && !pass.mayInsert) {
    return nothing(pass, program === null ? 'absent' : 'foreign', null);
  }
  if (program === null)
    return nothing(pass, 'trouble', new OverworldError('BALANCER_PROGRAM_MISSING', { path }));
  return new Work(pass, { program, found, outside: readUnmanagedConfig(reading.file.text, found) }).run();
}

interface Ground {
  readonly program: string;
  readonly found: SectionSearch;
  /** The admin's part of HAProxy's configuration: everything outside of Overworld's section. */
  readonly outside: UnmanagedConfig;
}

/** One check of a configuration that has, or will have, Overworld's section. */
class Work {
  readonly #pass: Pass;
  readonly #ground: Ground;
  readonly #errors: OverworldError[] = [];
  readonly #refused: string[] = [];
  #seen: RuntimeState | null = null;
  #at: StatsSocket['at'] | null = null;

  constructor(pass: Pass, ground: Ground) {
    this.#pass = pass;
    this.#ground = ground;
  }

  async run(): Promise<PassResult> {
    const { settings, playersPort } = this.#pass;
    const { found, outside } = this.#ground;
    const path = settings.configPath;
    const clash = found.kind === 'broken' ? found.why : clashOf(outside, playersPort);
    if (clash !== null)
      this.#errors.push(new OverworldError('BALANCER_CONFIG_UNUSABLE', { path, why: clash }));
    const reached = await this.#noting(() => connectWorker(outside, path));
    this.#at = reached?.at ?? null;
    const content = found.kind === 'one' ? readSection(found.section.body) : null;
    const way = await this.#chooseWay(reached, content?.hasFrontend ?? false);
    const wanted = Buffer.from(settings.entryAddition.trim(), 'utf8').toString('latin1');
    const inForce = content?.addition ?? wanted;
    if (this.#pass.wanted === null) {
      if (reached !== null) await this.#look(reached);
      return this.#result(way, inForce);
    }
    const plan = { wanted: this.#pass.wanted, way, port: playersPort };
    if (reached !== null && found.kind !== 'none') {
      // The addition in the file was checked before, so it is applied first. Players then do not have to wait until
      // the new file is checked.
      await this.#bring(reached, this.#wish({ ...plan, addition: inForce }));
    }
    if (clash !== null) return this.#result(way, inForce);
    const known = this.#known(reached, content, renderSection({ ...plan, addition: inForce }));
    return this.#result(way, await this.#applyFile({ ...plan, known, addition: wanted }, reached));
  }

  /**
   * Returns the existing proxies as HAProxy shows them. If HAProxy does not answer or has not read the file yet,
   * returns the proxies' positions from the file.
   */
  #known(
    reached: WorkerConnection | null,
    content: SectionContent | null,
    { backendId }: RenderedSection,
  ): KnownProxies {
    const { playersOn } = this.#pass;
    if (reached !== null && this.#seen?.backendId === backendId)
      return knownFrom(this.#seen, reached.worker, playersOn);
    // In a section from an older version, server ids contain no positions.
    const places = content?.backendId === backendId ? content.places : new Map<string, number>();
    return { places, isUsed: (name) => playersOn(name) > 0, canMove: false };
  }

  #wish(plan: Omit<SectionPlan, 'known'>): DesiredRuntime {
    const { playersOn } = this.#pass;
    return {
      render: (known) => renderSection(known === undefined ? plan : { ...plan, known }),
      playersOn,
    };
  }

  /**
   * Updates the file, and then HAProxy.
   *
   * @returns the addition that is in the file afterwards
   */
  async #applyFile(plan: SectionPlan, reached: WorkerConnection | null): Promise<string> {
    const { settings, mayInsert, checks, isStale } = this.#pass;
    const { program } = this.#ground;
    const file = await applyFile({ ...plan, place: settings, program, mayInsert }, checks);
    this.#errors.push(...file.errors);
    // Skipped if the desired entries have changed: the old entries could reopen a proxy that was closed in the
    // meantime.
    if (reached !== null && !isStale()) await this.#bringAfter(reached, file, plan);
    return file.addition;
  }

  /**
   * Decides which section sends players to the backend. An existing frontend of Overworld stays; a new one is added
   * only if its port is available to HAProxy. If another section uses the backend, no frontend is needed.
   */
  async #chooseWay(reached: WorkerConnection | null, hasFrontend: boolean): Promise<Way> {
    const { outside, found } = this.#ground;
    const { playersPort: port } = this.#pass;
    if (isBackendReferenced(outside)) return 'others';
    if (hasFrontend || found.kind === 'broken' || (await isPortFree(port))) return 'ours';
    if (reached !== null) await this.#look(reached);
    const { frontendId } = renderSection({ wanted: [], addition: '', way: 'ours', port });
    if (this.#seen?.frontendId === frontendId) return 'ours';
    this.#errors.push(new OverworldError('BALANCER_PORT_TAKEN', { port }));
    return 'waits';
  }

  async #look(reached: WorkerConnection): Promise<void> {
    const rendered = renderSection({ wanted: [], addition: '', way: 'ours', port: this.#pass.playersPort });
    this.#seen = await this.#noting(() => readRuntime(reached, rendered));
  }

  async #bring(reached: WorkerConnection, wish: DesiredRuntime): Promise<RuntimeOutcome | null> {
    const outcome = await this.#noting(() => applyRuntime(reached, wish));
    this.#take(outcome);
    return outcome;
  }

  async #bringAfter(
    reached: WorkerConnection,
    { rendered, isSettled, addition }: FileOutcome,
    { wanted, way, port }: SectionPlan,
  ): Promise<void> {
    const { pace, settings } = this.#pass;
    const wish = this.#wish({ wanted, way, port, addition });
    const outcome = await this.#bring(reached, wish);
    if (typeof outcome?.reload !== 'string' || !isSettled) return;
    const { seen } = outcome;
    const isUrgent = seen.backendId !== rendered.backendId || seen.frontendId !== rendered.frontendId;
    if (!pace.mayReload(isUrgent)) {
      if (pace.lastFailure !== null) this.#errors.push(pace.lastFailure);
      return;
    }
    try {
      this.#take(await reloadAndRead(reached, wish, settings.configPath));
      pace.succeeded();
    } catch (error) {
      pace.failed(toOverworldError(error));
      this.#errors.push(toOverworldError(error));
    }
  }

  #take(outcome: RuntimeOutcome | null): void {
    if (outcome === null) return;
    this.#seen = outcome.seen;
    this.#refused.push(...outcome.refused);
  }

  async #noting<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      const known = toOverworldError(error);
      if (!this.#errors.some(({ code }) => code === known.code)) this.#errors.push(known);
      return null;
    }
  }

  #result(way: Way, addition: string): PassResult {
    const { settings, playersPort } = this.#pass;
    const error = worstOf(this.#errors);
    const view: BalancerView = {
      state: error === null ? 'working' : 'trouble',
      configPath: settings.configPath,
      addresses: this.#addresses(way, { host: settings.host, port: playersPort }),
      entries: this.#seen === null ? [] : viewEntries(this.#seen),
      error: error === null ? null : toWire(error),
    };
    const sendsProxyProtocol = sendsProxyHeader(addition);
    return { view, sendsProxyProtocol, seen: this.#seen, at: this.#at, refused: this.#refused };
  }

  /** Returns the addresses at which players can join now. */
  #addresses(way: Way, own: Address): Address[] {
    const { backendId = null, frontendId = null } = this.#seen ?? {};
    if (backendId === null) return [];
    if (way === 'others') return toJoinAddresses(this.#ground.outside.leading, own.host);
    return frontendId === null ? [] : [own];
  }
}

function nothing(
  { settings }: Pass,
  state: 'absent' | 'foreign' | 'trouble',
  error: OverworldError | null,
): PassResult {
  const { configPath } = settings;
  const view: BalancerView = {
    state,
    configPath,
    addresses: [],
    entries: [],
    error: error === null ? null : toWire(error),
  };
  return { view, sendsProxyProtocol: false, seen: null, at: null, refused: [] };
}
