import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabNode } from '#test/lab/kit/node.ts';
import { run } from '#test/lab/kit/run.ts';
import type { Scope } from '../kit/scope.ts';
import { hostKeyOf, type Way } from './open-shell.ts';

const TIMEOUT_MS = 180_000;

/** Runs rsync over OpenSSH to one node with default settings, as an admin does. */
export interface Rsync {
  /**
   * Copies a folder's content with `rsync -a` over a new connection.
   *
   * @param target folder on the node
   */
  fresh(source: string, target: string): Promise<void>;
  /** Copies a folder's content over a connection that is already open (OpenSSH's ControlMaster). */
  open(source: string, target: string): Promise<void>;
  /**
   * Copies the content of a folder of the node with `rsync -a` over a new connection.
   *
   * @param source folder on the node
   */
  pull(source: string, target: string): Promise<void>;
}

export async function openRsync(scope: Scope, node: LabNode, { port, key }: Way): Promise<Rsync> {
  const folder = await scope.folder();
  await writeFile(join(folder, 'key'), key, { mode: 0o600 });
  const host = port === 22 ? node.address : `[${node.address}]:${port}`;
  await writeFile(join(folder, 'known_hosts'), `${host} ssh-ed25519 ${await hostKeyOf(node, port)}\n`);
  const ssh = [
    ...['ssh', '-F', 'none', '-p', String(port), '-i', join(folder, 'key')],
    ...['-o', `UserKnownHostsFile=${join(folder, 'known_hosts')}`, '-o', 'IdentitiesOnly=yes'],
    ...['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes'],
  ];
  const control = ['-o', `ControlPath=${join(folder, 'control')}`];
  const [program = '', ...options] = ssh;
  const at = `root@${node.address}`;
  const must = async (command: string, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await run(command, args, { timeoutMs: TIMEOUT_MS });
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr.slice(-500)}`);
  };
  await must(program, [
    ...options,
    ...control,
    '-o',
    'ControlMaster=yes',
    '-o',
    'ControlPersist=yes',
    '-fN',
    at,
  ]);
  scope.add(() => must(program, [...options, ...control, '-O', 'exit', at]));
  const copy = (shell: readonly string[], source: string, target: string): Promise<void> =>
    must('rsync', ['-a', '-e', shell.join(' '), `${source}/`, `${at}:${target}/`]);
  return {
    fresh: (source, target) => copy(ssh, source, target),
    open: (source, target) => copy([...ssh, ...control], source, target),
    pull: (source, target) => must('rsync', ['-a', '-e', ssh.join(' '), `${at}:${source}/`, `${target}/`]),
  };
}
