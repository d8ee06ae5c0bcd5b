import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { onTestFinished } from 'vitest';
import { connect, type SshTarget } from '#master/nodes/ssh/connect.ts';
import { NodeConnection } from '#master/nodes/ssh/connection.ts';
import { ContactShell, shellOf } from '#master/nodes/ssh/contact-shell.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import type { JavaDownloads } from '#master/runtime/java/downloads.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import type { PortRange } from '#shared/port-range.ts';
import type { Runtime, ServiceSpec } from '#master/runtime/runtime.ts';
import { prepareNode } from '#master/runtime/systemd/prepare-node.ts';
import { createSystemdRuntime, type SystemdRuntime } from '#master/runtime/systemd/systemd-runtime.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { makeKey } from '../../support/nodes/contact-fixture.ts';
import { serviceSpec } from '../../support/master/service-spec.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '../../support/files/template-fixture.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { LabNode, NodeOptions } from '../kit/node.ts';
import type { Lab } from '../kit/lab.ts';

/** Port of the master's SSH server, which the firewalls of nodes block for services. */
export const MASTER_PORT = 2022;

/** Delay before reconnecting (ms). */
const AGAIN_MS = 200;

interface StageRuntimeOptions {
  readonly ports?: PortRange;
  readonly cluster?: string;
  /** Name of the folder for logs. Masters that run at the same time need different folders. */
  readonly logs?: string;
  readonly javaDownloads?: JavaDownloads;
}

/** A booted node, a shell to it, and the folders of a master. No master runs. */
export interface NodeStage {
  readonly node: LabNode;
  readonly shell: NodeShell;
  readonly templates: TemplateFolders;
  /** Folder of the template `lobby`, with server.jar and server.properties. */
  readonly template: string;
  /** Folder of the shared files. */
  readonly sharedFiles: string;
  /** Folder of the logs. */
  readonly logs: string;
  /** Creates a runtime as a newly started master does. The runtime is closed after the test. */
  readonly open: (options?: StageRuntimeOptions) => SystemdRuntime;
  /** Returns the specification of a small game server with the template's current revision. */
  readonly spec: (change?: Partial<ServiceSpec>) => Promise<ServiceSpec>;
}

/** Node that accepts a master's key. */
export interface KeyedNode {
  readonly node: LabNode;
  readonly key: string;
}

export async function bootKeyed(lab: Lab, options: NodeOptions = {}): Promise<KeyedNode> {
  const key = makeKey();
  const node = await lab.boot({ ...options, sshKeys: [publicLineOf(key)] });
  await node.waitForSsh();
  return { node, key };
}

/**
 * Prepares a node for the calling test. Services that are left on it are stopped after the test.
 *
 * @param jar path of the server.jar of the template `lobby`
 */
export async function nodeStage({ node, key }: KeyedNode, jar: string): Promise<NodeStage> {
  const hostKey = (await node.must('cat /etc/ssh/ssh_host_ed25519_key.pub')).split(' ')[1] ?? '';
  const pins = [fingerprintOf(Buffer.from(hostKey, 'base64'))];
  const shell = keepShell({ node: node.name, host: node.address, port: 22, pins }, key);
  const folder = temporaryFolder();
  const where = templatePlace();
  const template = await writeTemplate(where, { 'server.properties': 'motd=Hello\nserver-port=1\n' });
  await copyFile(jar, join(template, 'server.jar'));
  const sharedFiles = join(await writeTemplate({ ...where, root: folder }, { '.keep': '' }), '..');
  const templates = await openTemplates(where);
  await waitFor(() => shell.connected, { what: 'the connection to the node' });
  const closers: (() => Promise<void>)[] = [];
  const fixture: NodeStage = {
    node,
    shell,
    templates,
    template,
    sharedFiles,
    logs: join(folder, 'logs'),
    open: ({
      ports = { from: 25_565, to: 25_999 },
      cluster = 'cluster-1',
      logs: place = 'logs',
      javaDownloads,
    } = {}) => {
      const logs = new LogStore(join(folder, place));
      const runtime = createSystemdRuntime({
        node: node.name,
        cluster,
        shell,
        address: () => node.address,
        templates,
        sharedFiles,
        logs,
        whereIs: () => 'here',
        ports,
        ...(javaDownloads === undefined ? {} : { javaDownloads }),
        log: { warn: (details, message) => process.stderr.write(`${message} ${describe(details)}\n`) },
      });
      closers.push(async () => {
        await runtime.close();
        logs.close();
      });
      return runtime;
    },
    spec: async (change = {}) => {
      const { revision } = await settled(templates);
      return serviceSpec({ revision: revision ?? '', ...change });
    },
  };
  onTestFinished(async () => {
    await endServices(fixture);
    for (const close of closers) await close();
  });
  return fixture;
}

/** Stops all services, so that the next test gets an empty node. */
async function endServices({ shell, open }: NodeStage): Promise<void> {
  await waitFor(() => shell.connected, { what: 'the connection to the node', timeoutMs: 60_000 });
  const runtime = open({ logs: 'last' });
  for (const { spec } of await runtime.observe()) {
    await runtime.stop(spec.id, { graceMs: 0 });
    await runtime.forget(spec.id);
  }
  await runtime.close();
}

/** Waits for a line in a service's log. If it does not appear, the error contains the last lines of the log. */
export function sees(runtime: Runtime, pattern: RegExp, id = 'lobby-1'): Promise<string> {
  const find = async (): Promise<string> => {
    const lines = await runtime.tailLog(id, 500);
    const found = lines.find((line) => pattern.test(line));
    if (found === undefined) throw new Error(`the log ends with ${JSON.stringify(lines.slice(-5))}`);
    return found;
  };
  return waitFor(find, { what: String(pattern), timeoutMs: 60_000 });
}

function describe(details: object): string {
  return JSON.stringify(details, (_, value: unknown) => (value instanceof Error ? value.message : value));
}

/** Returns the key as a line of `authorized_keys`. */
function publicLineOf(key: string): string {
  const parsed = ssh2.utils.parseKey(key);
  if (parsed instanceof Error) throw parsed;
  return `ssh-ed25519 ${parsed.getPublicSSH().toString('base64')}`;
}

/**
 * Returns a shell that connects, prepares the node, and reconnects after each interruption until the test has
 * ended.
 */
function keepShell(target: SshTarget, key: string): NodeShell {
  const shell = new ContactShell(target.node);
  const end = new AbortController();
  const keep = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const login = await connect(target, key, end.signal).catch(() => null);
      if (login !== null) {
        const connection = new NodeConnection(target.node, login);
        end.signal.addEventListener('abort', () => connection.end('the test is over'));
        await prepareNode(shellOf(connection), { node: target.node, masterPort: MASTER_PORT });
        shell.attach(connection);
        shell.detach((await connection.broken).why);
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  const kept = keep().catch((error: unknown) => {
    process.stderr.write(`the node was given up: ${String(error)}\n`);
  });
  onTestFinished(async () => {
    end.abort();
    await kept;
  });
  return shell;
}
