import { expect, it, onTestFinished } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { HetznerApi } from '#master/nodes/hetzner/api/hetzner-api.ts';
import { DEFAULT_TIMES } from '#master/nodes/hetzner/options.ts';
import { PriceList } from '#master/nodes/hetzner/price-list.ts';
import { OrderRejections } from '#master/nodes/hetzner/rejections.ts';
import { startFakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';

it('the master discards a price list if the API token was changed before the list arrived', async () => {
  let onRequest = (): void => undefined;
  const fake = await startFakeHetzner({ onRequest: () => onRequest() });
  onTestFinished(() => fake.close());
  const log = { warn: () => undefined };
  const api = new HetznerApi({
    ...{ token: fake.token, baseUrl: fake.url, log },
    ...{ timeoutMs: 1_000, retryMs: 20 },
  });
  onTestFinished(() => api.requester.close());
  const { provider, limits } = masterConfigSchema.parse({});
  const settings = { provider, firewallRules: [], masterAddress: '127.0.0.1', limits };
  const prices = new PriceList(
    { api: () => api, settings: () => settings, times: DEFAULT_TIMES, now: () => fake.clock.now() },
    new OrderRejections({ soldOut: 60_000 }),
  );

  onRequest = () => prices.forget();
  await prices.refresh();
  expect(prices.offers()).toBeNull();

  onRequest = () => undefined;
  await prices.refresh();
  expect(prices.offers()).not.toEqual([]);
  expect(prices.offers()).not.toBeNull();
});
