import { describe, expect, it } from 'vitest';
import { waitFor } from '#test/support/wait-for.ts';
import { aSession, IngressFixture } from '#test/support/link/ingress-fixture.ts';

const ANA = aSession('ana', 'lobby-1');

describe('the drain of a service', () => {
  it('moves the players to a fallback, lets no new players join, and stops the service once it is empty', async () => {
    const fixture = await IngressFixture.open(28_420);
    await fixture.master.call('services.start', { template: 'lobby' });
    await fixture.service('lobby-2', ({ state }) => state === 'RUNNING');
    const gate = await fixture.link('gate-1', 'bungeecord', [ANA]);
    await fixture.service('lobby-1', ({ state }) => state === 'IN_USE');

    await fixture.master.call('services.drain', { id: 'lobby-1', withinMs: null });
    expect(await gate.next('send')).toMatchObject({ uuid: ANA.uuid, server: 'lobby-2' });
    await gate.next('backends', ({ put }) => put.some(({ id, open }) => id === 'lobby-1' && !open));
    expect(await fixture.service('lobby-1', () => true)).toMatchObject({ stopping: null, state: 'IN_USE' });

    gate.send({ type: 'switched', uuid: ANA.uuid, server: 'lobby-2' });
    await waitFor(async () => (await fixture.services()).every(({ id }) => id !== 'lobby-1'), {
      what: 'lobby-1 to be gone',
    });
    expect(await fixture.events(['service.draining'])).toMatchObject([
      { subject: { id: 'lobby-1' }, actor: 'local' },
    ]);
  });

  it('continues after a restart of the master, and at its deadline stops a service that still has players', async () => {
    const fixture = await IngressFixture.open(28_440);
    await fixture.link('gate-1', 'bungeecord', [ANA]);
    await fixture.service('lobby-1', ({ state }) => state === 'IN_USE');
    await fixture.master.call('services.drain', { id: 'lobby-1', withinMs: 3_600_000 });
    await fixture.master.kill();
    await fixture.master.start();
    await fixture.service('lobby-1', ({ draining }) => draining !== null);

    await fixture.link('gate-1', 'bungeecord', [ANA]);
    await fixture.service('lobby-1', ({ state }) => state === 'IN_USE');
    await fixture.master.call('services.drain', { id: 'lobby-1', withinMs: 0 });
    const { stopping } = await fixture.service('lobby-1', (one) => one.stopping !== null);
    expect(stopping?.cause).toContain('has reached its deadline with 1 players on it');
  });

  it('ends when the process exits, even after a crash, and the service does not start again', async () => {
    const fixture = await IngressFixture.open(28_480);
    await fixture.link('gate-1', 'bungeecord', [ANA]);
    await fixture.service('lobby-1', ({ state }) => state === 'IN_USE');
    await fixture.master.call('services.drain', { id: 'lobby-1', withinMs: null });
    await fixture.master.call('services.command', { id: 'lobby-1', line: 'crash' });
    const gone = await waitFor(
      async () =>
        (await fixture.events(['service.stopped', 'service.failed'])).find(
          ({ subject }) => subject.id === 'lobby-1',
        ),
      { what: 'the end of lobby-1' },
    );
    expect(gone).toMatchObject({ kind: 'service.stopped', cause: 'requested by local' });
    await waitFor(async () => (await fixture.services()).every(({ id }) => id !== 'lobby-1'), {
      what: 'lobby-1 to be gone',
    });
  });

  it('can be cancelled, and the service accepts players again', async () => {
    const fixture = await IngressFixture.open(28_460);
    const gate = await fixture.link('gate-1', 'bungeecord', [ANA]);
    await fixture.service('lobby-1', ({ state }) => state === 'IN_USE');
    await fixture.master.call('services.drain', { id: 'lobby-1', withinMs: null });
    await gate.next('backends', ({ put }) => put.some(({ id, open }) => id === 'lobby-1' && !open));
    await fixture.master.call('services.cancelDrain', { id: 'lobby-1' });
    await gate.next('backends', ({ put }) => put.some(({ id, open }) => id === 'lobby-1' && open));
    expect(await fixture.service('lobby-1', ({ draining }) => draining === null)).toMatchObject({
      stopping: null,
    });
  });
});
