import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FIRST_HOST_KEY, HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

const OTHER_TOKEN = 'token-of-another-project';

let fixture: HetznerFixture;
beforeEach(async () => {
  fixture = await HetznerFixture.open();
  await fixture.start();
  await fixture.order();
});
afterEach(() => fixture.close());

/** Stops the master, sets a token of another project, and starts the master. Returns the trouble that it reports. */
async function restartInOtherProject(): Promise<string> {
  const other = await HetznerFixture.open();
  onTestFinished(() => other.close());
  other.fake.tokens.set(OTHER_TOKEN, { write: true });
  await fixture.stop();
  const { fake } = fixture;
  onTestFinished(() => fake.close());
  Object.assign(fixture.settings.provider, { api_token: OTHER_TOKEN });
  Object.defineProperty(fixture, 'fake', { value: other.fake });
  await fixture.start({ wait: false });
  return fixture.until(() => fixture.machines.trouble());
}

describe('a master whose API token belongs to another project', () => {
  it('keeps its list of nodes, and no node counts as lost', async () => {
    expect(await restartInOtherProject()).toContain('another project');
    expect(fixture.machine()?.state).toBe('on');
    expect(fixture.machines.isBlind()).toBe(true);
  });

  it('keeps a node that the rules release, and deletes its server once the earlier token is set again', async () => {
    const { fake } = fixture;
    const { api_token: token } = fixture.settings.provider;
    await restartInOtherProject();
    await expect(fixture.machines.release('node-1', 'rules')).rejects.toThrow(
      'It is deleted once a token of its project is set',
    );
    expect(fixture.machine()?.state).toBe('deleting');
    await fixture.stop();
    Object.assign(fixture.settings.provider, { api_token: token });
    Object.defineProperty(fixture, 'fake', { value: fake });
    await fixture.start({ wait: false });
    await fixture.until(() => fixture.machines.all().length === 0);
    expect(fake.servers()).toEqual([]);
  });

  it('removes a node that a person releases, and says that its server may still exist', async () => {
    await restartInOtherProject();
    await expect(fixture.machines.release('node-1', 'user')).rejects.toThrow(
      'its server may still exist and cost money',
    );
    expect(fixture.machines.all()).toEqual([]);
    await fixture.until(() => fixture.machines.trouble() === null);
  });
});

it('a token of another project is noticed although it is set while the servers are being listed', async () => {
  let isArmed = false;
  const changing = await HetznerFixture.open({
    onRequest: ({ method, path }) => {
      if (!isArmed || method !== 'GET' || path !== '/servers') return;
      isArmed = false;
      // The list was made with the earlier token. All later requests reach the other project, which is empty.
      changing.settings.provider.api_token = OTHER_TOKEN;
      changing.fake.world.servers.clear();
    },
  });
  onTestFinished(() => changing.close());
  changing.fake.tokens.set(OTHER_TOKEN, { write: true });
  await changing.start();
  await changing.order();
  isArmed = true;
  const trouble = await changing.until(
    () => changing.machines.trouble() ?? changing.machines.all().length === 0,
  );
  expect(trouble).toContain('another project');
  expect(changing.machine()).toMatchObject({ state: 'on', hostKeys: [FIRST_HOST_KEY] });
});
