import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { FAKE_TOKEN } from '../../fake/hetzner/fake-hetzner.ts';
import { makePerson } from '../../support/master/admin-master.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { LabCloud } from '../kit/cloud.ts';
import type { LabNode } from '../kit/node.ts';
import type { Ran } from '../kit/run.ts';
import { jvmsOn, type Jvm } from '../stage/jvms.ts';

/** Maximum time of an upgrade on a busy machine, including the return to the previous version (ms). */
const UPGRADE_TIMEOUT_MS = 600_000;

const DATA = '/var/lib/overworld';

/** Last line of the output of `upgrade --json`. */
const resultSchema = z.object({
  version: z.string().nullable(),
  before: z.string(),
  returned: z.boolean(),
  unchanged: z.boolean(),
  pauseMs: z.number().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  log: z.array(z.string()),
});

/** Result of an upgrade. */
export interface UpgradeRun extends z.infer<typeof resultSchema> {
  readonly code: number | null;
  /** Each step with its status, such as `verify done`. */
  readonly steps: readonly string[];
  readonly stderr: string;
}

/** A master that is installed on a booted node, and orders its nodes from a simulated cloud. */
export class InstalledMaster {
  readonly node: LabNode;
  readonly #cloud: LabCloud;

  constructor(node: LabNode, cloud: LabCloud) {
    this.node = node;
    this.#cloud = cloud;
  }

  /** Copies a file of this machine to `/root` of the node. @returns its path there */
  put(file: string): string {
    const path = `/root/${basename(file)}`;
    copyFileSync(file, join(this.node.root, path));
    return path;
  }

  /** Removes a file that {@link InstalledMaster.put} has copied. */
  remove(path: string): void {
    rmSync(join(this.node.root, path));
  }

  /** Configures the installed master for the simulated cloud, starts it, and waits until one service runs. */
  async start(): Promise<void> {
    const { node } = this;
    await node.must(`echo 'OPTIONS=--provider-url ${this.#cloud.api.url}' > /etc/default/overworld-master`);
    await node.must(`cd /root && overworld-master init --owner-key "${makePerson('anna').publicKey}"`);
    const config = {
      communication: { hostname: node.address },
      provider: { api_token: FAKE_TOKEN, server_type: 'cpx', location: 'nbg1', configure_mode: false },
    };
    const template = { minJvmMemory: 16, maxJvmMemory: 64, maxPlayers: 2, minimumRunningServers: 1 };
    await this.write('config/master.json', JSON.stringify(config));
    await this.write('config/templates/lobby.json', JSON.stringify(template));
    const jar = `${DATA}/templates/lobby/server.jar`;
    await this.asMaster(
      `mkdir -p ${DATA}/templates/lobby && cp /usr/lib/overworld-master/practice-server.jar ${jar}`,
    );
    await node.must('systemctl start overworld-master');
    await waitFor(async () => (await this.services()) === 'lobby-1 RUNNING', {
      what: 'the first service',
      timeoutMs: 60_000,
    });
  }

  /** Runs a shell command as the user of the master. */
  async asMaster(command: string): Promise<string> {
    return this.node.must(`runuser -u overworld -- sh -c '${command}'`);
  }

  /** Writes a file below the data folder as the user of the master. */
  async write(path: string, text: string): Promise<void> {
    const file = `${DATA}/${path}`;
    const command = `runuser -u overworld -- sh -c 'umask 077; mkdir -p "$(dirname ${file})"; cat > ${file}'`;
    await this.node.must(command, { input: text });
  }

  /** Reads a file below the data folder. */
  async read(path: string): Promise<string> {
    return this.node.must(`cat ${DATA}/${path}`);
  }

  /**
   * Returns the services as the master reports them, such as `lobby-1 RUNNING`. Throws if the master does not answer.
   */
  async services(): Promise<string> {
    const status = JSON.parse(await this.node.must('overworld-master status --json')) as {
      readonly services: readonly { readonly id: string; readonly state: string }[];
    };
    return status.services.map(({ id, state }) => `${id} ${state}`).join(', ');
  }

  /** Returns the version that the running master reports. */
  async version(): Promise<string> {
    const status = await this.node.must('overworld-master status --json');
    return (JSON.parse(status) as { readonly version: string }).version;
  }

  async pid(): Promise<string> {
    return this.node.must('systemctl show overworld-master -p MainPID --value');
  }

  /** Returns the JVMs of services on all cloud nodes. */
  async jvms(): Promise<Jvm[]> {
    return jvmsOn(this.#cloud.nodes);
  }

  /** Upgrades the master with a package on the node. */
  async upgrade(path: string, ...options: string[]): Promise<UpgradeRun> {
    const command = ['overworld-master', 'upgrade', path, '--json', ...options].join(' ');
    return readRun(await this.node.run(command, { timeoutMs: UPGRADE_TIMEOUT_MS }));
  }

  /** Waits until no upgrade runs. @returns the record of the last one */
  async untilUpgraded(): Promise<{
    readonly result: z.infer<typeof resultSchema> | null;
    readonly run: string;
  }> {
    return waitFor(
      async () => {
        // The command exits with 1 if the upgrade has failed.
        const { stdout } = await this.node.run('overworld-master upgrade --status --json');
        const { running, ...record } = z
          .object({ running: z.boolean(), run: z.string(), result: resultSchema.nullable() })
          .parse(JSON.parse(stdout));
        return running ? null : record;
      },
      { what: 'the end of the upgrade', timeoutMs: UPGRADE_TIMEOUT_MS },
    );
  }
}

/** Parses the output of `upgrade --json`. */
export function readRun({ code, stdout, stderr }: Ran): UpgradeRun {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const last = lines.pop();
  if (last === undefined) throw new Error(`upgrade printed nothing, exit code ${code}: ${stderr}`);
  const stepSchema = z.object({ step: z.string(), status: z.string(), detail: z.string() });
  const steps = lines.map((line) => stepSchema.parse(JSON.parse(line)));
  return {
    ...resultSchema.parse(JSON.parse(last)),
    ...{ code, stderr },
    steps: steps.map(({ step, status }) => `${step} ${status}`),
  };
}
