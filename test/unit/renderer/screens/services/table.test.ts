import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { aLink, aService, aTemplate } from '#test/support/app/models.ts';
import { ids, mixed, row, rows, setUpServices } from './services-world.ts';

describe('the list of services', () => {
  const open = setUpServices();

  it('is sorted by template and number, and shows state, address and reason', async () => {
    await open(mixed());
    expect(ids()).toEqual(['lobby-1', 'lobby-2', 'lobby-10', 'proxy-1']);
    expect(row('lobby-1').textContent).toMatch(/Players online.*3 \/ 50.*127\.0\.0\.1:25601/s);
    expect(row('proxy-1').textContent).toMatch(/Waiting.*has no server\.jar/s);
  });

  it('renders only the visible rows of 5,000 services', async () => {
    await open({ services: Array.from({ length: 5000 }, (_, n) => aService('lobby', n + 1)) });
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('5001');
    expect(rows().length).toBeGreaterThan(10);
    expect(rows().length).toBeLessThan(80);
  });

  it('can be filtered by words and by state, and shows that a filter is active', async () => {
    await open(mixed());
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Filter services' }), {
      target: { value: 'lobby' },
    });
    expect(ids()).toEqual(['lobby-1', 'lobby-2', 'lobby-10']);
    await fireEvent.click(screen.getByRole('button', { name: /Players online/ }));
    expect(ids()).toEqual(['lobby-1', 'lobby-10']);
    expect(screen.getByText('2 of 4 services')).toBeTruthy();
  });

  it('offers to clear a filter that matches nothing', async () => {
    await open(mixed());
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Filter services' }), {
      target: { value: 'zzz' },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Clear filter' }));
    expect(ids()).toHaveLength(4);
  });

  it('can be sorted by a column in ascending and descending order', async () => {
    await open(mixed());
    const players = screen.getByRole('button', { name: 'Players' });
    await fireEvent.click(players);
    await fireEvent.click(players);
    expect(ids()[0]).toBe('lobby-10');
    expect(screen.getByRole('columnheader', { name: /Players/ }).getAttribute('aria-sort')).toBe(
      'descending',
    );
  });

  it('does not change its order while the pointer is on it', async () => {
    const world = mixed();
    const bridge = await open(world);
    await fireEvent.click(screen.getByRole('button', { name: 'Players' }));
    const before = ids();
    const body = row('lobby-1').closest('tbody');
    if (body === null) throw new Error('no tbody');
    await fireEvent.pointerEnter(body);
    world.services = (world.services ?? []).map((one) =>
      one.id === 'lobby-2' ? { ...one, state: 'IN_USE', players: { online: 49, max: 50 } } : one,
    );
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    await waitFor(() => expect(row('lobby-2').textContent).toContain('49 / 50'));
    expect(ids()).toEqual(before);
    await fireEvent.pointerLeave(body);
    expect(ids().at(-1)).toBe('lobby-2');
  });

  it('is sorted again after a filter, although the pointer is on it', async () => {
    await open(mixed());
    const before = ids();
    const body = row('lobby-1').closest('tbody');
    if (body === null) throw new Error('no tbody');
    await fireEvent.pointerEnter(body);
    const filter = screen.getByRole('searchbox', { name: 'Filter services' });
    await fireEvent.input(filter, { target: { value: 'proxy' } });
    expect(ids()).toEqual(['proxy-1']);
    await fireEvent.input(filter, { target: { value: '' } });
    expect(ids()).toEqual(before);
  });

  it('can be used with the keyboard alone: arrow keys, Enter and Escape', async () => {
    await open(mixed());
    const grid = screen.getByRole('grid');
    grid.focus();
    await fireEvent.keyDown(grid, { key: 'ArrowDown' });
    await fireEvent.keyDown(grid, { key: 'Enter' });
    expect(route.parts).toEqual(['services', 'lobby-2']);
    const panel = await screen.findByRole('region', { name: 'lobby-2' });
    await fireEvent.keyDown(panel, { key: 'Escape' });
    expect(route.parts).toEqual(['services']);
  });

  it('shows the last known services, but disables actions, while the app is offline', async () => {
    const bridge = await open(mixed());
    bridge.push('link', aLink({ status: 'waiting', retryAt: 0 }));
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: /Start service/ }).disabled).toBe(true),
    );
    expect(ids()).toHaveLength(4);
  });

  it('can be grouped by state, and groups can be collapsed with the keyboard', async () => {
    const bridge = await open(mixed());
    await fireEvent.change(screen.getByRole('combobox', { name: 'Group services' }), {
      target: { value: 'state' },
    });
    const table = screen.getByRole('treegrid', { name: 'Services' });
    const heads = (): string[] =>
      within(table)
        .getAllByRole('row')
        .filter((one) => one.getAttribute('aria-level') === '1')
        .map((one) => one.textContent.replace(/\s+/g, ' ').trim());
    expect(heads()).toEqual([
      'Waiting 1 0 players 1 problem',
      'Empty 1 0 players',
      'Players online 2 43 players',
    ]);
    table.focus();
    for (const key of ['Home', 'ArrowLeft']) await fireEvent.keyDown(table, { key });
    expect(table.textContent).not.toContain('proxy-1');
    // End moves to the last service, Left to its group, and Space selects the whole group.
    for (const key of ['End', 'ArrowLeft', ' ']) await fireEvent.keyDown(table, { key });
    expect(screen.getByText('2 services selected, 43 players')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Restart' }));
    const question = await screen.findByRole('dialog', { name: 'Restart 2 services?' });
    expect(question.textContent).toContain('43 players are disconnected, as their proxy stops.');
    bridge.answerCall('services.restart', () => ({}));
    await fireEvent.click(within(question).getByRole('button', { name: 'Restart 2 services' }));
    await waitFor(() =>
      expect(bridge.askedFor('services.restart')).toEqual([
        { id: 'lobby-1', kill: false },
        { id: 'lobby-10', kill: false },
      ]),
    );
  });

  it('can show and hide columns, and remembers the choice', async () => {
    const bridge = await open(mixed());
    await fireEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    await fireEvent.click(await screen.findByRole('checkbox', { name: 'Template' }));
    await fireEvent.click(screen.getByRole('checkbox', { name: 'RAM' }));
    const titles = screen.getAllByRole('columnheader', { hidden: true }).map((one) => one.textContent.trim());
    expect(titles).toContain('Template');
    expect(titles).not.toContain('RAM');
    const kept = bridge.askedFor('app.remember').at(-1) as { key: string; value: string };
    expect(kept.key).toBe('table.services');
    expect(JSON.parse(kept.value)).toMatchObject({ layout: { shown: { template: true, ram: false } } });
  });

  it('marks outdated services, and services that are being replaced', async () => {
    await open({
      services: [
        aService('lobby', 1, { outdated: ['files', 'maxJvmMemory'] }),
        aService('lobby', 2, { outdated: ['files'], retiring: { since: 1, cause: 'a rolling restart' } }),
      ],
    });
    expect(row('lobby-1').textContent).toContain('Outdated: files, maxJvmMemory');
    expect(row('lobby-2').textContent).toContain('Being replaced');
  });

  it('can be resized with the arrow keys on the line between list and details', async () => {
    const bridge = await open({ services: [aService('lobby', 1)], templates: [aTemplate('lobby')] });
    route.go('services', 'lobby-1');
    const edge = await screen.findByRole('separator', { name: 'Width of the list' });
    const before = Number(edge.getAttribute('aria-valuenow'));
    await fireEvent.keyDown(edge, { key: 'ArrowLeft' });
    expect(Number(edge.getAttribute('aria-valuenow'))).toBeLessThan(before);
    await waitFor(() =>
      expect(bridge.askedFor('app.remember')).toContainEqual({
        key: 'details.from',
        value: String(before - 2),
      }),
    );
  });
});
