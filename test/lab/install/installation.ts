import ssh2 from 'ssh2';
import { onTestFinished } from 'vitest';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { openRpc, type Person } from '../../support/master/admin-master.ts';
import type { LabNode } from '../kit/node.ts';

/** Maximum time of one installation (ms). */
const INSTALL_TIMEOUT_MS = 180_000;

/** Output of `overworld-master install --json`. */
export interface Installed {
  readonly code: number | null;
  /** Status of each step, such as `key done`. */
  readonly steps: readonly string[];
  readonly details: Readonly<Record<string, string>>;
  readonly result: {
    readonly hostKey: string;
    readonly version: string;
    readonly port: number;
    readonly hostname: string;
  };
}

/**
 * Runs `overworld-master install` on a node.
 *
 * @param options options in addition to `--json`
 * @param program path of the command
 */
export async function install(
  node: LabNode,
  options: string,
  program = 'overworld-master',
): Promise<Installed> {
  const ran = await node.run(`cd /root && ${program} install --json ${options}`, {
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  const lines = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const steps = lines.filter(({ step }) => step !== undefined);
  return {
    code: ran.code,
    steps: steps.map(({ step = '', status = '' }) => `${step} ${status}`),
    details: Object.fromEntries(steps.map(({ step = '', detail = '' }) => [step, detail])),
    // Not validated, because the tests compare the fields of the result.
    result: lines.at(-1) as unknown as Installed['result'],
  };
}

/** Returns these steps with the status `unchanged`. */
export const unchanged = (...steps: readonly string[]): string[] => steps.map((step) => `${step} unchanged`);

/** Logs in to a node's master and returns the role that it gives to this person. */
export async function roleOf(
  person: Person,
  at: { readonly host: string; readonly port: number; readonly hostKey: string },
): Promise<string> {
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  await new Promise<void>((resolve, reject) => {
    client.on('ready', resolve);
    client.on('error', reject);
    client.connect({
      ...{ host: at.host, port: at.port, username: 'overworld', privateKey: person.privateKey },
      hostVerifier: (key: Buffer) => fingerprintOf(key) === at.hostKey,
    });
  });
  const rpc = await openRpc(client);
  const { you } = await rpc.sendRequest<{ readonly you: { readonly role: string } }>('master.info', {});
  return you.role;
}

/** Returns the process id of a node's master. */
export async function pidOf(node: LabNode): Promise<string> {
  return node.must('systemctl show overworld-master -p MainPID --value');
}
