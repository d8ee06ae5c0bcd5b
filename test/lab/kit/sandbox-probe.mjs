/*
 * Tries actions that code in the SSH service must be able to perform, and actions that it must not be able to
 * perform. Run as `node sandbox-probe.mjs PID-OF-MASTER RESULT-FILE`. Each result is "done" or the code of an error.
 */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
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
  ...[
    'config',
    'state',
    'revisions',
    'software',
    'volumes',
    'incoming',
    'services',
    'logs',
    'java',
    'backup',
    'run',
  ],
  ...['.ssh', '.config', '.cache', '.node_modules', '.node_libraries'],
];
const volume = `${data}/volumes/probe/1`;

/**
 * Creates files in the folder of a volume that would make the master access other files. Each file is removed again.
 *
 * @type {Record<string, () => unknown>}
 */
const plantedInVolumes = {
  linkAsSaves: () => symlinkSync('../../../state', `${volume}/saves`),
  linkAsDocument: () => symlinkSync('../../../config/keys.json', `${volume}/volume.json`),
  document: () => writeFileSync(`${volume}/volume.json`, '{"keys":[]}'),
  pipeAsDocument: () => execFileSync('/usr/bin/mkfifo', [`${volume}/volume.json`]),
};

/** @param {() => unknown} plant */
function plantInVolume(plant) {
  mkdirSync(volume, { recursive: true });
  plant();
  rmSync(`${data}/volumes/probe`, { recursive: true });
}

/**
 * Replaces a folder in the data folder by a link, and then puts the folder back.
 *
 * @param {string} name
 */
function replaceByLink(name) {
  renameSync(`${data}/${name}`, `${data}/${name}-moved`);
  symlinkSync('/etc', `${data}/${name}`);
  rmSync(`${data}/${name}`);
  renameSync(`${data}/${name}-moved`, `${data}/${name}`);
}

const ofMaster = ['mem', 'environ', 'root/etc/passwd', 'maps'];

const results = {
  folders: Object.fromEntries(hidden.map((name) => [name, attempt(() => readdirSync(`${data}/${name}`))])),
  hostKey: attempt(() => readFileSync(`${data}/config/host_key`)),
  master: Object.fromEntries(
    ofMaster.map((name) => [name, attempt(() => closeSync(openSync(`/proc/${pid}/${name}`, 'r')))]),
  ),
  planted: Object.fromEntries(
    Object.entries(plantedInVolumes).map(([name, plant]) => [name, attempt(() => plantInVolume(plant))]),
  ),
  replaced: Object.fromEntries(
    ['volumes', 'config'].map((name) => [name, attempt(() => replaceByLink(name))]),
  ),
  workingCopy: attempt(() => {
    mkdirSync(`${data}/working-copies/probe/1`, { recursive: true });
    writeFileSync(`${data}/working-copies/probe/1/file.txt`, 'changed');
    rmSync(`${data}/working-copies/probe`, { recursive: true });
  }),
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
