import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { cp } from 'node:fs/promises';
import { serviceSpec } from './service-spec.ts';

/**
 * Master that consists only of its service runtime, for tests that kill the master. Prepares and starts the services
 * with the given IDs, prints `started`, and runs until it is killed.
 */
const [cluster = '', folder = '', from = '', ...ids] = process.argv.slice(2);
const runtime = createProcessRuntime({
  cluster,
  folder: `${folder}/services`,
  logs: new LogStore(`${folder}/logs`),
  sharedFiles: `${folder}/files`,
  templates: {
    materialize: (_id, _revision, destination) => cp(`${folder}/template`, destination, { recursive: true }),
  },
  ports: { from: Number(from), to: Number(from) + 24 },
  host: '127.0.0.1',
});
for (const id of ids) {
  await runtime.prepare(serviceSpec({ id }));
  await runtime.start(id);
}
process.stdout.write('started\n');
setInterval(() => undefined, 60_000);
