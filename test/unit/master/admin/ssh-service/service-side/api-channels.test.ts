import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ApiChannels } from '#master/admin/ssh-service/service-side/api-channels.ts';

it('the SSH service closes a channel for the admin API if the master does not accept the connection', async () => {
  const channel = new PassThrough();
  const closed = once(channel, 'close');
  new ApiChannels(10).serve('session', channel);
  await closed;
  expect(channel.destroyed).toBe(true);
});
