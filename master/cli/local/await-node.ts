import { setTimeout as delay } from 'node:timers/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { LOCAL_NODE } from '#shared/model/node.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { withMaster } from '../client.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { readStartLine } from '../machine/unit.ts';
import { portsAdvice } from './ports-advice.ts';

/**
 * Maximum time until the machine is ready (ms). The installation of Java may take several minutes with a slow mirror.
 */
const TIMEOUT_MS = 10 * 60_000;

const LOOK_AGAIN_MS = 250;

/**
 * Waits until the running master has set up this machine as a node, including Java, and can run services on it. Fails
 * after 10 minutes.
 *
 * @throws OverworldError LOCAL_NODE_NOT_READY
 */
export async function awaitNode(): Promise<StepOutcome> {
  return withMaster(SYSTEM_DATA_FOLDER, async (master) => {
    const until = monotonicMs() + TIMEOUT_MS;
    let isFirst = true;
    for (;;) {
      const node = (await master.call('nodes.list', {})).find(({ id }) => id === LOCAL_NODE);
      const note = node?.note ?? null;
      const { observed } = await master.call('master.readiness', {});
      if (node !== undefined && observed.includes(LOCAL_NODE)) {
        const { java } = await master.call('master.info', {});
        const detail = [
          `Services run on this machine as users of their own, in ${node.ram.totalMb} MB of RAM.`,
          portsAdvice(await readStartLine()),
          java === null ? '' : `Java is ${java}.`,
          note ?? '',
        ];
        return {
          status: isFirst ? 'unchanged' : 'done',
          detail: detail.filter((part) => part !== '').join(' '),
        };
      }
      isFirst = false;
      if (monotonicMs() > until) {
        throw new OverworldError('LOCAL_NODE_NOT_READY', {
          why: note?.replace(/[.\s]+$/, '') ?? 'the master has not noticed it',
        });
      }
      await delay(LOOK_AGAIN_MS);
    }
  });
}
