import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import type { HandOver } from '#master/link/link.ts';
import { buildPlugin } from '../../../build/scripts/java/build-plugin.mjs';
import { buildJar } from '../../../build/scripts/java/java-jar.mjs';
import { dist, root } from '../../../build/scripts/paths.mjs';
import { JavaProgram } from '../java/java-program.ts';
import { waitFor } from '../wait-for.ts';

const lineSchema = z.union([
  z.strictObject({ id: z.int(), result: z.unknown() }),
  z.strictObject({ id: z.int(), error: z.string() }),
  z.strictObject({ core: z.string(), event: z.string(), whom: z.string(), text: z.string() }),
]);

/** Action of a plugin core on its proxy. */
export interface DrivenEvent {
  readonly core: string;
  readonly event: string;
  readonly whom: string;
  readonly text: string;
}

const verdictSchema = z.strictObject({ allowed: z.boolean(), message: z.string() });
export type Verdict = z.infer<typeof verdictSchema>;

const numbersSchema = z.strictObject({
  active: z.boolean(),
  known: z.boolean(),
  online: z.int(),
  limit: z.int(),
  servers: z.array(z.string()),
});

/** Runs plugin cores in a JVM without real proxies. Several cores can run at once. */
export class PluginDriver extends JavaProgram {
  #lastId = 0;
  #readTo = 0;
  readonly #answers = new Map<number, { result: unknown } | { error: string }>();
  readonly events: DrivenEvent[] = [];

  /**
   * Executes a command in the JVM and returns its result.
   *
   * @throws Error with the driver's message
   */
  async ask(what: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const id = (this.#lastId += 1);
    this.command(JSON.stringify({ id, do: what, ...parameters }));
    const answer = await waitFor(
      () => {
        this.#read();
        if (!this.isAlive()) throw new Error(`the driver ended: ${this.lines.slice(-10).join('\n')}`);
        return this.#answers.get(id);
      },
      { what: `the answer to ${what}` },
    );
    if ('error' in answer) throw new Error(answer.error);
    return answer.result;
  }

  /** Returns the first matching action of a core. Waits for the action if it has not happened yet. */
  async happens(wanted: Partial<DrivenEvent>): Promise<DrivenEvent> {
    return waitFor(() => this.happened(wanted).at(-1), { what: `the event ${JSON.stringify(wanted)}` });
  }

  happened(wanted: Partial<DrivenEvent>): DrivenEvent[] {
    this.#read();
    return this.events.filter((event) =>
      Object.entries(wanted).every(([key, value]) => event[key as keyof DrivenEvent] === value),
    );
  }

  #read(): void {
    for (const text of this.lines.slice(this.#readTo)) {
      if (text.startsWith('stderr: ')) continue;
      const line = lineSchema.parse(JSON.parse(text));
      if ('event' in line) this.events.push(line);
      else this.#answers.set(line.id, line);
    }
    this.#readTo = this.lines.length;
  }

  /** Starts a plugin core with a hand-over file of the master, or without one. */
  async core(name: string, handOver: HandOver | null, kind = 'practice'): Promise<DrivenCore> {
    const folder = await mkdtemp(join(this.folder, `${name}-`));
    if (handOver !== null) await writeHandOver(folder, handOver);
    const core = new DrivenCore(this, name, folder);
    await core.ask('start', { kind, folder });
    return core;
  }
}

/** Plugin core in the driver's JVM. */
export class DrivenCore {
  readonly name: string;
  readonly folder: string;
  readonly #driver: PluginDriver;

  constructor(driver: PluginDriver, name: string, folder: string) {
    this.#driver = driver;
    this.name = name;
    this.folder = folder;
  }

  async ask(what: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.#driver.ask(what, { core: this.name, ...parameters });
  }

  async login(player: DrivenPlayer): Promise<Verdict> {
    return verdictSchema.parse(await this.ask('login', { ...player }));
  }

  /**
   * Joins as a player whom the plugin core has admitted.
   *
   * @returns the player's first server; null if there is none
   */
  async join(player: DrivenPlayer): Promise<string | null> {
    return z
      .string()
      .nullable()
      .parse(await this.ask('join', { ...player }));
  }

  /** Logs in as a player and joins if admitted. */
  async come(player: DrivenPlayer): Promise<Verdict> {
    const verdict = await this.login(player);
    if (verdict.allowed) await this.join(player);
    return verdict;
  }

  async switch(player: DrivenPlayer, server: string): Promise<Verdict> {
    return verdictSchema.parse(await this.ask('switch', { uuid: player.uuid, server }));
  }

  async kicked(player: DrivenPlayer, from: string): Promise<string | null> {
    return z
      .string()
      .nullable()
      .parse(await this.ask('kicked', { uuid: player.uuid, from }));
  }

  async numbers(): Promise<z.infer<typeof numbersSchema>> {
    return numbersSchema.parse(await this.ask('numbers'));
  }

  happens(wanted: Partial<DrivenEvent>): Promise<DrivenEvent> {
    return this.#driver.happens({ core: this.name, ...wanted });
  }

  happened(wanted: Partial<DrivenEvent>): DrivenEvent[] {
    return this.#driver.happened({ core: this.name, ...wanted });
  }
}

export interface DrivenPlayer {
  readonly uuid: string;
  readonly name: string;
}

/** Returns the player with this number. The same number always results in the same name and UUID. */
export function playerNumber(number: number): DrivenPlayer {
  return { uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, name: `Player${number}` };
}

export async function writeHandOver(folder: string, handOver: HandOver): Promise<void> {
  const lines = Object.entries(handOver).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(join(folder, HAND_OVER_FILE), lines.join(''), { mode: 0o600 });
}

/** Starts a driver, which the caller closes. Share it between tests, because its JVM takes a second to start. */
export async function startPluginDriver(): Promise<PluginDriver> {
  const plugin = await buildPlugin();
  const driver = await buildJar({
    what: "The driver of the plugin's core",
    outFile: join(dist, 'test', 'plugin-driver.jar'),
    sources: [join(root, 'test/support/plugin-driver/src')],
    seen: [join(root, 'master/plugin/src')],
    title: 'Overworld plugin driver',
  });
  const folder = await mkdtemp(join(tmpdir(), 'overworld-driver-'));
  return new PluginDriver(folder, [
    '-Xmx64m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-classpath',
    [driver, plugin].join(delimiter),
    'overworld.driver.Driver',
  ]);
}
