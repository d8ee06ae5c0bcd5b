import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { BalancerView } from '#shared/model/player-entry.ts';
import type { WantedEntry } from './balancer.ts';
import { sendsProxyHeader } from './config/addition.ts';
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
} from './config/render.ts';
import { findSection, type SectionSearch } from './config/section.ts';
import { applyFile, type FileOutcome } from './file-pass.ts';
import type { CheckMemory } from './haproxy/check-memory.ts';
import { readConfigFile } from './haproxy/config-file.ts';
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

/** Settings of the balancer. They are read anew for each look, so that a change takes effect at once. */
export interface BalancerSettings {
  /** `balancer.config_path` (docs/specification.md#balancer). */
  readonly configPath: string;
  /** `balancer.entry_addition` (docs/specification.md#balancer). */
  readonly entryAddition: string;
  /** Address of this machine for players, shown if HAProxy listens on all addresses. */
  readonly host: string;
}

/** Everything that one look needs. */
export interface Pass {
  readonly settings: BalancerSettings;
  /** Null until the wanted entries are known. Then the look changes nothing. */
  readonly wanted: readonly WantedEntry[] | null;
  readonly playersOn: PlayersOn;
  readonly playersPort: number;
  /** Whether to add Overworld's section if there is none, because an admin has asked for it. */
  readonly mayInsert: boolean;
  readonly checks: CheckMemory;
  readonly pace: ReloadPace;
  /** Finds HAProxy's program; null if this machine has none. */
  readonly findProgram: () => Promise<string | null>;
  /** Reports whether other entries are wanted by now. Another look will apply them. */
  readonly isStale: () => boolean;
}

export interface PassResult {
  readonly view: BalancerView;
  /** Whether the section exists and its addition asks for a PROXY header. */
  readonly sendsProxyProtocol: boolean;
  /** What HAProxy showed at the end; null if it could not be reached, or has nothing of Overworld. */
  readonly seen: RuntimeState | null;
  /** Its runtime socket; null if it could not be reached. */
  readonly at: StatsSocket['at'] | null;
  /** Commands that HAProxy rejected, for the log. */
  readonly refused: readonly string[];
}

/**
 * Reads the current state once, and makes the file and the running HAProxy match the wanted state: first through
 * the runtime socket, then in the file, then with a reload if the socket was not enough. Errors are part of the
 * result.
 */
export async function runPass(pass: Pass): Promise<PassResult> {
  const { configPath: path } = pass.settings;
  const [program, reading] = await Promise.all([pass.findProgram(), readConfigFile(path)]);
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
  /** The admin's part of the file. */
  readonly outside: UnmanagedConfig;
}

/** One look at a configuration that has, or will have, Overworld's section. */
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
      // The addition in force needs no check, so players do not have to wait for the file.
      await this.#bring(reached, this.#wish({ ...plan, addition: inForce }));
    }
    if (clash !== null) return this.#result(way, inForce);
    const known = this.#known(reached, content, renderSection({ ...plan, addition: inForce }));
    return this.#result(way, await this.#applyFile({ ...plan, known, addition: wanted }, reached));
  }

  /** Returns the existing proxies from HAProxy, or from the file if HAProxy does not answer or has not read it yet. */
  #known(
    reached: WorkerConnection | null,
    content: SectionContent | null,
    { backendId }: RenderedSection,
  ): KnownProxies {
    const { playersOn } = this.#pass;
    if (reached !== null && this.#seen?.backendId === backendId)
      return knownFrom(this.#seen, reached.worker, playersOn);
    // Ids of a section from an older version are not places.
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
   * @returns the addition in force
   */
  async #applyFile(plan: SectionPlan, reached: WorkerConnection | null): Promise<string> {
    const { settings, mayInsert, checks, isStale } = this.#pass;
    const { program } = this.#ground;
    const file = await applyFile({ ...plan, path: settings.configPath, program, mayInsert }, checks);
    this.#errors.push(...file.errors);
    // Outdated entries must not be applied again: a proxy may have been closed meanwhile.
    if (reached !== null && !isStale()) await this.#bringAfter(reached, file, plan);
    return file.addition;
  }

  /**
   * Decides how players reach the backend. An existing frontend stays; a new one is added only if HAProxy can get
   * the port.
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
    ...{ state, configPath, addresses: [], entries: [] },
    error: error === null ? null : toWire(error),
  };
  return { view, sendsProxyProtocol: false, seen: null, at: null, refused: [] };
}
