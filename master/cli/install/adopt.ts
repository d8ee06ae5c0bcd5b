import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { withMaster } from '../client.ts';
import type { StepOutcome } from '../machine/step-report.ts';

/**
 * Lets the running master add its section to HAProxy's configuration, unless the configuration has one already.
 *
 * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE,
 *   BALANCER_UNREACHABLE. HAProxy's file is then unchanged
 */
export async function adoptHaproxy(): Promise<StepOutcome> {
  return withMaster(SYSTEM_DATA_FOLDER, async (master) => {
    const before = (await master.call('wayIn.get', {})).balancer;
    if (before.state === 'working')
      return { status: 'unchanged', detail: `${before.configPath} has Overworld's section.` };
    const { state, configPath, error } = (await master.call('balancer.adopt', {})).balancer;
    const detail = `${configPath} has Overworld's section.`;
    return { status: 'done', detail: state === 'trouble' ? `${detail} ${error?.message ?? ''}` : detail };
  });
}
