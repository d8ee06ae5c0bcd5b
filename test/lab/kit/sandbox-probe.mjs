/*
 * Tries what code in the SSH service must not be able to do, and what it must. Run as
 * `node sandbox-probe.mjs PID-OF-MASTER RESULT-FILE`. Each result is "done" or the code of an error.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  closeSync,
} from 'node:fs';
import { connect } from 'node:net';

const data = '/var/lib/overworld';
const [pid, result] = process.argv.slice(2);

/**
 * @param {() => unknown} work
 * @returns {string}
 */
function attempt(work) {
  try {
    work();
    return 'done';
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error);
  }
}

/**
 * @param {import('node:net').NetConnectOpts} to
 * @returns {Promise<string>}
 */
function attemptConnection(to) {
  return new Promise((resolve) => {
    const socket = connect(to);
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? error.message));
    socket.on('connect', () => {
      socket.destroy();
      resolve('done');
    });
  });
}

const hidden = [
  ...['config', 'state', 'revisions', 'software', 'services', 'logs', 'java', 'backup', 'run'],
  ...['.ssh', '.config', '.cache', '.node_modules', '.node_libraries'],
];
const ofMaster = ['mem', 'environ', 'root/etc/passwd', 'maps'];

const results = {
  folders: Object.fromEntries(hidden.map((name) => [name, attempt(() => readdirSync(`${data}/${name}`))])),
  hostKey: attempt(() => readFileSync(`${data}/config/host_key`)),
  master: Object.fromEntries(
    ofMaster.map((name) => [name, attempt(() => closeSync(openSync(`/proc/${pid}/${name}`, 'r')))]),
  ),
  signal: attempt(() => process.kill(Number(pid), 0)),
  localSocket: await attemptConnection({ path: `${data}/run/master.sock` }),
  ownSocket: await attemptConnection({ path: '/run/overworld-ssh/master.sock' }),
  port: await attemptConnection({ host: '127.0.0.1', port: 2022 }),
  etc: attempt(() => writeFileSync('/etc/probe', '')),
  move: attempt(() => {
    mkdirSync(`${data}/templates/probe`, { recursive: true });
    writeFileSync(`${data}/files/probe.txt`, 'moved');
    renameSync(`${data}/files/probe.txt`, `${data}/templates/probe/probe.txt`);
    rmSync(`${data}/templates/probe`, { recursive: true });
  }),
};
writeFileSync(result ?? '', JSON.stringify(results));
