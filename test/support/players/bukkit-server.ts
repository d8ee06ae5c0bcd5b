import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { HandOver } from '#master/link/link.ts';
import { buildPlugin } from '../../../build/scripts/java/build-plugin.mjs';
import { practiceServer } from '../../../build/scripts/java/build-practice-server.mjs';
import { buildJar } from '../../../build/scripts/java/java-jar.mjs';
import { dist, root } from '../../../build/scripts/paths.mjs';
import { writeHandOver } from '../link/plugin-driver.ts';
import { PracticeServer } from './practice-server.ts';

const folder = join(root, 'test/support/bukkit-server');

/**
 * Returns the path of the jar of a practice server that loads Bukkit plugins. The master recognizes the server as
 * CraftBukkit.
 */
export function bukkitServerJar(): Promise<string> {
  return buildJar({
    what: 'The server that loads Bukkit plugins',
    outFile: join(dist, 'test', 'bukkit-server.jar'),
    sources: [join(folder, 'src'), join(folder, 'api'), ...practiceServer.sources],
    resources: practiceServer.resources,
    title: 'CraftBukkit',
    mainClass: 'overworld.practice.BukkitServer',
  });
}

export interface BukkitServerOptions {
  /** Hand-over file of the master. Null for a server without a master. */
  readonly handOver: HandOver | null;
  /** Class path of Bukkit's published API and its dependencies. If set, Bukkit's own loader loads the plugin. */
  readonly api?: string | undefined;
  /** Whether the server has no Bukkit scheduler, like Folia. */
  readonly isFolia?: boolean;
  /** Whether the server runs no tasks of plugins before the console command `tick`. */
  readonly isPaused?: boolean;
}

/**
 * Starts a server with Overworld's plugin in its own folder, on a free loopback port. The caller closes the server.
 */
export async function startBukkitServer(options: BukkitServerOptions): Promise<PracticeServer> {
  const { handOver, api, isFolia = false, isPaused = false } = options;
  const classPath = [...(api === undefined ? [] : [api]), await bukkitServerJar()].join(delimiter);
  const work = await mkdtemp(join(tmpdir(), 'overworld-bukkit-'));
  await mkdir(join(work, 'plugins'));
  await copyFile(await buildPlugin(), join(work, 'plugins/overworld.jar'));
  await writeFile(join(work, 'server.properties'), 'server-ip=127.0.0.1\nserver-port=0\nmax-players=20\n');
  if (handOver !== null) await writeHandOver(work, handOver);
  const properties = [`-Dpractice.folia=${isFolia}`, `-Dpractice.paused=${isPaused}`];
  const jvm = ['-Xmx64m', '-XX:+UseSerialGC', ...properties];
  const server = new PracticeServer(work, [...jvm, '-cp', classPath, 'overworld.practice.BukkitServer']);
  try {
    await server.sees(/Done \([0-9.]+s\)!/);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}
