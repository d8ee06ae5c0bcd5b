import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Node } from '#shared/model/node.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { Connections } from '#main/connections/connections.ts';
import { MasterLink } from '#main/connections/link.ts';
import { EmbeddedConnection } from '#main/embedded/embedded-connection.ts';
import type { MasterChild } from '#main/embedded/master-child.ts';
import { openSettings } from '#main/vault/settings.ts';
import { aNode, aRental } from '#test/support/app/models.ts';
import { makePerson, startAdminMaster, type Person } from '#test/support/master/admin-master.ts';
import { toIdentity } from '#test/support/identity.ts';
import { masterProgram } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });

/**
 * Makes a plain process of the embedded master look like a utility process, because utility processes exist only in
 * Electron.
 */
function toMasterChild(child: ChildProcess): MasterChild {
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8');
  return {
    pid: child.pid,
    onStdout: (listener) => child.stdout?.on('data', listener),
    onStderr: (listener) => child.stderr?.on('data', listener),
    onExit: (listener) => child.once('exit', (code) => listener(code ?? 1)),
    terminate: () => child.kill(),
  };
}

/** Returns the connections of an app that has not started its embedded master yet. */
async function openConnections(
  options: {
    /** Starts the embedded master. By default, starts the real program. */ readonly fork?: () => MasterChild;
    readonly person?: Person;
  } = {},
) {
  const program = options.fork === undefined ? await masterProgram() : '';
  const identity = toIdentity(options.person ?? makePerson('me'));
  const settings = await openSettings(join(temporaryFolder(), 'settings.json'), log);
  const dataFolder = temporaryFolder();
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    // Wait until the masters have exited, because their folders are deleted next.
    await waitFor(() =>
      children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null),
    );
  });
  const link = new MasterLink({
    subject: { connection: 'embedded', kind: 'embedded', name: 'This computer' },
    identity,
    onChange: () => undefined,
    onNotification: () => undefined,
  });
  onTestFinished(async () => {
    link.close();
    // Wait for running writes, because the folder of the settings is deleted next.
    await settings.update({});
  });
  const embedded = new EmbeddedConnection({
    ...{ dataFolder, identity, link, settings, log },
    fork: () => {
      if (options.fork !== undefined) return options.fork();
      const where = [
        '--data',
        dataFolder,
        '--ssh-host',
        '127.0.0.1',
        '--ssh-port',
        '0',
        '--announce',
        '--local-unsafe',
      ];
      const args = [
        program,
        'run',
        ...where,
        '--ports',
        '27320-27329',
        '--owner-key',
        identity.publicKey.trim(),
      ];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      children.push(child);
      return toMasterChild(child);
    },
    writeLog: () => undefined,
  });
  const connections = new Connections({
    ...{ settings, link, embedded, identity, log },
    unsaved: { names: [] },
    onChange: () => undefined,
    ask: () => Promise.resolve({ confirmed: false, remember: false }),
    onSwitch: () => undefined,
    onOtherMaster: () => undefined,
  });
  const { id } = await connections.save(null, { name: 'Nobody', host: '127.0.0.1', port: 1 });
  return { connections, link, embedded, children, other: id };
}

/** Starts a master with the given nodes and without services, which counts the requests to shut down. */
async function startNodesMaster(nodes: readonly Node[]) {
  const seen = { listed: 0, shutDowns: 0 };
  const master = await startAdminMaster({
    handlers: {
      'master.info': (_params, { name, role }) => ({
        ...{ version: '0.0.0', apiVersion: API_VERSION, cluster: 'test', hostname: 'test', platform: 'test' },
        ...{ hostKey: 'SHA256:test', java: null, startedAt: 0 },
        you: { name, role, readsFiles: true, templates: null },
      }),
      'services.list': () => ({
        ...{ revision: 1, complete: true, services: [], removed: [] },
        network: { players: 0, limit: -1 },
      }),
      'nodes.list': () => {
        seen.listed += 1;
        return [...nodes];
      },
      'master.shutdown': () => {
        seen.shutDowns += 1;
        return {};
      },
    },
  });
  onTestFinished(() => master.close());
  const { host, port } = master.server;
  const announcement = { ready: true, host, port, hostKey: master.hostKey.fingerprint, pid: 1 };
  const exits: ((code: number) => void)[] = [];
  const child: MasterChild = {
    pid: 1,
    onStdout: (listener) => listener(`${JSON.stringify(announcement)}\n`),
    onStderr: () => undefined,
    onExit: (listener) => exits.push(listener),
    terminate: () => exits.forEach((exit) => exit(0)),
  };
  onTestFinished(() => child.terminate());
  return { seen, fork: () => child, person: await master.authorize('owner') };
}

it('an embedded master with cloud nodes keeps running, because only a running master releases them', async () => {
  const { seen, ...master } = await startNodesMaster([
    aNode('local'),
    aNode('node-1', { rental: aRental() }),
  ]);
  const { connections, embedded, other } = await openConnections(master);
  connections.start();
  expect(await embedded.countRunning(5000)).toEqual({ services: 0, nodes: 1 });
  await connections.use(other);
  await waitFor(() => seen.listed === 2, { what: 'the embedded master to be asked for its nodes' });
  // A request to shut down would be sent before this later request.
  await embedded.countRunning(5000);
  expect(seen.shutDowns).toBe(0);
});

it('an embedded master without services exits when the user selects another master, and later starts again', async () => {
  const { connections, link, children, other } = await openConnections();
  connections.start();
  const connected = () => waitFor(() => link.link.status === 'connected');
  await connected();
  await connections.use(other);
  await waitFor(() => children[0]?.exitCode === 0, { what: 'the embedded master to end' });
  await connections.use('embedded');
  await connected();
  expect(children).toHaveLength(2);
  await connections.restartMaster();
  expect(children[1]?.exitCode, 'it ended by itself').toBe(0);
  await connected();
  expect(children).toHaveLength(3);
});

it('an embedded master without services exits after its start if the user has selected another master meanwhile', async () => {
  const { connections, link, children, other } = await openConnections();
  connections.start();
  await connections.use(other);
  await waitFor(() => children[0]?.exitCode === 0, { what: 'the embedded master to end' });
  expect([children.length, link.link.connection]).toEqual([1, other]);
});
