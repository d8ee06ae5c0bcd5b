import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { LogStore } from '#master/runtime/log/log-store.ts';
import {
  createProcessRuntime,
  type ProcessRuntime,
  type ProcessRuntimeOptions,
} from '#master/runtime/process/process-runtime.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A data folder with one template, and runtimes on it. Everything that they start is stopped with the test. */
export interface RuntimeFixture {
  readonly folder: string;
  readonly cluster: string;
  /** First port of its services. */
  readonly from: number;
  /** Folder with the files that every service gets. */
  readonly template: string;
  readonly services: string;
  readonly logs: string;
  /** Creates a runtime like a newly started master. */
  readonly open: (
    options?: Partial<Pick<ProcessRuntimeOptions, 'ports' | 'java' | 'leaveFree' | 'termToKillMs'>>,
  ) => ProcessRuntime;
}

let stages = 0;

/** @param jar the server.jar of the template */
export async function runtimeFixture(jar: string): Promise<RuntimeFixture> {
  const folder = temporaryFolder();
  const [template, services, logs] = [
    join(folder, 'template'),
    join(folder, 'services'),
    join(folder, 'logs'),
  ];
  await mkdir(template);
  await mkdir(join(folder, 'files'));
  await copyFile(jar, join(template, 'server.jar'));
  await writeFile(join(template, 'server.properties'), 'motd=Hello\nserver-port=1\n');
  // Gives each fixture its own ports below the ephemeral range, so that test files of one run do not collide.
  const from = 20_000 + (process.pid % 100) * 100 + (stages++ % 4) * 25;
  const cluster = `test-${folder}`;
  const open: RuntimeFixture['open'] = (options) => {
    const runtime = createProcessRuntime({
      cluster,
      folder: services,
      logs: new LogStore(logs),
      sharedFiles: join(folder, 'files'),
      templates: {
        materialize: (_id, _revision, destination) => cp(template, destination, { recursive: true }),
      },
      ports: { from, to: from + 24 },
      host: '127.0.0.1',
      ...options,
    });
    onTestFinished(() => runtime.close());
    return runtime;
  };
  onTestFinished(async () => {
    const runtime = open();
    for (const { spec } of await runtime.observe()) await runtime.stop(spec.id, { graceMs: 0 });
    await runtime.close();
  });
  return { folder, cluster, from, template, services, logs, open };
}
