import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { MasterProcess } from '../master/master-process.ts';
import { putJar } from '../master/network.ts';
import type { Grants, ProxyUnderTest } from './proxy-under-test.ts';

/** ID of the proxies' template. */
export const GATE = 'gate';

export interface ProxyTemplateOptions {
  readonly under: ProxyUnderTest;
  /** Number of proxies. */
  readonly proxies: number;
  readonly grants?: Grants | undefined;
  /** Settings of the template. By default, exactly {@link proxies} services of the template run. */
  readonly config?: Partial<TemplateConfig> | undefined;
}

/** Creates the template {@link GATE} with its files. */
export async function createProxyTemplate(
  master: MasterProcess,
  { under, proxies, grants = {}, config = {} }: ProxyTemplateOptions,
): Promise<void> {
  // A proxy with players does not count towards the minimum, so without a maximum the master would start more
  // proxies.
  const usual = {
    isProxy: true,
    maxPlayers: 1_000,
    minimumRunningServers: proxies,
    maximumOnlineServers: proxies,
  };
  await master.call('templates.create', { id: GATE, config: { ...usual, ...under.memory, ...config } });
  const folder = join(master.data, 'templates', GATE);
  for (const [path, text] of Object.entries(under.files(grants))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  for (const [path, from] of Object.entries(await under.jars())) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(from, join(folder, path));
  }
  await putJar(master, GATE, await under.jar());
}
