import { expect, it } from 'vitest';
import { takeSnapshot } from '#master/control/loop/take-snapshot.ts';
import { plan } from '#master/core/plan.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates a master with an empty proxy that is being replaced, and its replacement, which has been up for a minute.
 * Returns the services that the next round stops.
 */
async function stopsWith(linked: readonly string[]): Promise<readonly string[]> {
  const { parts } = await loopFixture(temporaryFolder(), { from: 27_960, to: 27_969 });
  const config = templateConfigSchema.parse({ ...SMALL, isProxy: true, minimumRunningServers: 1 });
  await parts.config.createTemplate('gate', config);
  const now = parts.now();
  const placed = startedFrom({ ...serviceSpec({ isProxy: true }), plugin: '1.0.0' });
  for (const id of ['gate-1', 'gate-2']) {
    const record = parts.records.add({ id, template: 'gate', requestedAt: 1, cause: 'test', manual: false });
    const up = { state: 'RUNNING', startedAt: 1, upAt: now - 60_000, unusedSince: now - 60_000 };
    const retiring = id === 'gate-1' ? { since: 1, cause: 'test' } : null;
    Object.assign(record, { node: 'local', placed, retiring, ...up });
  }
  Object.assign(parts.proxies, { kindOf: () => 'velocity' });
  Object.assign(parts.link, { hasLinked: (id: string) => linked.includes(id) });
  return plan(takeSnapshot(parts)).actions.flatMap((action) =>
    action.kind === 'stop' ? [action.service] : [],
  );
}

it.each([
  { says: 'is linked', linked: ['gate-1', 'gate-2'], stops: ['gate-1'] },
  { says: 'has not been linked yet', linked: ['gate-1'], stops: [] },
  { says: 'is linked in none of the proxies', linked: [], stops: ['gate-1'] },
])('a proxy replaces another one depending on its plugin, which $says', async ({ linked, stops }) => {
  expect(await stopsWith(linked)).toEqual(stops);
});
