import { connect } from '#master/nodes/ssh/connect.ts';
import { NodeConnection } from '#master/nodes/ssh/connection.ts';
import { shellOf } from '#master/nodes/ssh/contact-shell.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import type { LabNode } from '#test/lab/kit/node.ts';
import type { Scope } from '../kit/scope.ts';

/** Data that is needed to connect to a node, in addition to its address. */
export interface Way {
  /** Port of the node's SSH server. */
  readonly port: number;
  /** Private key with which root can log in, in OpenSSH's text format. */
  readonly key: string;
}

/** Connects to a node as the master does. The connection stays open until the scope ends. */
export async function openShell(scope: Scope, node: LabNode, { port, key }: Way): Promise<NodeShell> {
  const pins = [fingerprintOf(Buffer.from(await hostKeyOf(node, port), 'base64'))];
  const target = { node: node.name, host: node.address, port, pins };
  const login = await connect(target, key, new AbortController().signal);
  const connection = new NodeConnection(node.name, login);
  scope.add(async () => {
    connection.end('the benchmark is over');
    await connection.broken;
  });
  return shellOf(connection);
}

/** Returns the ed25519 host key of a node's SSH server (base64), read on the node itself. */
export async function hostKeyOf(node: LabNode, port: number): Promise<string> {
  const line = await node.must(`ssh-keyscan -t ed25519 -p ${port} 127.0.0.1 2>/dev/null`);
  const key = line.split(' ')[2];
  if (key === undefined) throw new Error(`${node.name} shows no ed25519 host key: ${line}`);
  return key;
}

/**
 * Runs a command on a node, and requires success.
 *
 * @returns the output of the command without surrounding white space
 */
export async function mustRun(shell: NodeShell, command: string): Promise<string> {
  const { code, stdout, stderr } = await shell.run(command);
  if (code !== 0) throw new Error(`${command}: exit ${code}: ${stderr}`);
  return stdout.toString().trim();
}
