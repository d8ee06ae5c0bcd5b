import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, open, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findJava } from '#master/runtime/process/java.ts';
import { javaArguments } from '#master/runtime/java-arguments.ts';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { secondsOf } from '../clock.ts';
import type { Scope } from '../scope.ts';
import { startWorkLine, type StartWork } from './start-work.ts';

const START_TIMEOUT_MS = 60_000;
const PING_TIMEOUT_MS = 2_000;

/** Folder of a server as a person sets it up, with the jar and server.properties. */
export interface HandMadeServer {
  readonly folder: string;
  readonly port: number;
}

export async function layOutByHand(scope: Scope, work: StartWork): Promise<HandMadeServer> {
  const folder = await scope.folder();
  const port = await freePort();
  await copyFile(await practiceServerJar(), join(folder, 'server.jar'));
  await writeFile(
    join(folder, 'server.properties'),
    `server-port=${port}\nmax-players=${SMALL.maxPlayers}\nserver-ip=\n${startWorkLine(work)}`,
  );
  return { folder, port };
}

/**
 * Runs the java command that the master would run, and stops the server afterwards.
 *
 * @returns the time from the start until the server answers a status ping (s)
 */
export async function startByHand({ folder, port }: HandMadeServer): Promise<number> {
  const java = await findJava(null, undefined);
  const spec = {
    minJvmMemoryMb: SMALL.minJvmMemory,
    maxJvmMemoryMb: SMALL.maxJvmMemory,
    jvmArguments: [],
    isProxy: false,
  };
  const log = await open(join(folder, 'bench.log'), 'a');
  const started: { child?: ChildProcess } = {};
  try {
    return await secondsOf(async () => {
      // Keep the server's stdin open, because a server treats the end of its input as a request to stop.
      started.child = spawn(java, javaArguments(spec), { cwd: folder, stdio: ['pipe', log.fd, log.fd] });
      await waitFor(
        async () =>
          (await statusPing({ host: '127.0.0.1', port, timeoutMs: PING_TIMEOUT_MS })).kind === 'answer',
        { timeoutMs: START_TIMEOUT_MS, what: 'an answer to a status ping' },
      );
    });
  } finally {
    await end(started.child);
    await log.close();
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Returns a port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
