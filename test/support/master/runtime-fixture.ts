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

/**
 * Data folder with one template, and service runtimes that use the folder. All services are stopped when the test
 * ends.
 */
export interface RuntimeFixture {
  readonly folder: string;
  readonly cluster: string;
  /** First port for services. */
  readonly from: number;
  /** Folder of the template. Each service gets the files in this folder. */
  readonly template: string;
  readonly services: string;
  readonly logs: string;
  /** Creates a runtime as a newly started master does. */
  readonly open: (
    options?: Partial<
      Pick<
        ProcessRuntimeOptions,
        'ports' | 'java' | 'javaFolders' | 'javaVersions' | 'leaveFree' | 'termToKillMs' | 'log'
      >
    >,
  ) => ProcessRuntime;
}

let stages = 0;

/**
 * Creates the data folder.
 *
 * @param jar path of the template's server.jar
 */
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
  // Each fixture gets different ports below the ephemeral range, so that test files that run in parallel do not use
  // the same ports.
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
