import { execFileSync } from 'node:child_process';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime } from '#master/runtime/process/process-runtime.ts';

/**
 * Master that consists only of its service runtime, and may open only a few files. Prints the observed processes as
 * JSON.
 */
const [cluster = '', folder = ''] = process.argv.slice(2);
// Set the limit only now, because the process needs more open files to load the modules.
execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=64:64']);
const runtime = createProcessRuntime({
  cluster,
  folder: `${folder}/services`,
  logs: new LogStore(`${folder}/logs`),
  sharedFiles: `${folder}/files`,
  templates: { materialize: () => Promise.reject(new Error('nothing is prepared here')) },
  ports: { from: 1, to: 1 },
  host: '127.0.0.1',
});
const seen = await runtime.observe();
process.stdout.write(JSON.stringify(seen.map(({ spec, state }) => `${spec.id} ${state}`)));
await runtime.close();
