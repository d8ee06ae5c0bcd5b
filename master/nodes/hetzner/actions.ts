import { monotonicMs } from '#shared/node/clock.ts';
import { ApiProblem, withUnknownOutcome } from './api/api-problem.ts';
import type { HetznerApi } from './api/hetzner-api.ts';
import type { HetznerAction } from './api/schemas.ts';
import type { ProviderTimes } from './options.ts';

/** Number of actions per request. The API accepts more; this is the value that the official client uses. */
const IDS_PER_REQUEST = 25;

/**
 * Waits until all given actions at the provider have succeeded, for at most `actionTimeout` ms. Polls every
 * `actionPoll` ms, and less often when little of the rate budget is left.
 *
 * @throws ApiProblem `action_failed` (outcome `refused`: the action had no effect) as soon as one action has failed;
 *   `action_timeout`; or the error of a request. The last two have the outcome `unknown`: even if the provider
 *   refuses to tell the state of an action, the action may succeed
 */
export async function awaitActions(
  api: HetznerApi,
  actions: readonly HetznerAction[],
  { actionPoll, actionTimeout }: Pick<ProviderTimes, 'actionPoll' | 'actionTimeout'>,
): Promise<void> {
  const deadline = monotonicMs() + actionTimeout;
  let running = stillRunning(actions);
  while (running.length > 0) {
    if (monotonicMs() > deadline) {
      throw new ApiProblem(`${running.map(({ command }) => command).join(', ')} did not finish in time`, {
        outcome: 'unknown',
        code: 'action_timeout',
      });
    }
    await api.requester.pause(actionPoll * api.requester.budget.slowdown);
    const asked = running.slice(0, IDS_PER_REQUEST);
    const answers = await api.actions(asked.map(({ id }) => id)).catch((error: unknown) => {
      throw withUnknownOutcome(error);
    });
    const answered = new Map(answers.map((action) => [action.id, action]));
    running = stillRunning(running.map((action) => answered.get(action.id) ?? action));
  }
}

function stillRunning(actions: readonly HetznerAction[]): HetznerAction[] {
  const failed = actions.find(({ status }) => status === 'error');
  if (failed !== undefined) {
    const why = failed.error?.message ?? 'no reason was given';
    throw new ApiProblem(`${failed.command} failed: ${why}`, { outcome: 'refused', code: 'action_failed' });
  }
  return actions.filter(({ status }) => status === 'running');
}
