import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import type { SecurityEntry } from '#shared/model/access/security-entry.ts';
import { anEntry, open, useConfigurationScreen } from './configuration-screen.ts';

useConfigurationScreen();

describe('the tab of the security log', () => {
  const table = () => screen.findByRole('grid', { name: 'Security log, newest first' });

  it('shows entries in pages, newest first, and up to which entry the hash chain was verified', async () => {
    open({ at: ['security-log'] });
    const rows = within(await table()).getAllByRole('row');
    expect(rows[1]?.textContent).toContain('Login 302');
    expect(await screen.findByText('Chain verified up to entry 302')).toBeTruthy();
    expect((await table()).getAttribute('aria-rowcount')).toBe('201');
    await fireEvent.click(screen.getByRole('button', { name: 'Load older entries' }));
    await waitFor(async () => expect((await table()).getAttribute('aria-rowcount')).toBe('303'));
    expect(screen.queryByRole('button', { name: 'Load older entries' })).toBeNull();
  });

  it('drops an older page if more new entries than one page arrive while it is loaded', async () => {
    const { bridge } = open({ at: ['security-log'] });
    await table();
    let answer: (page: { entries: SecurityEntry[]; next: null }) => void = () => undefined;
    const newest = Array.from({ length: 200 }, (_, i) => anEntry(1000 - i));
    bridge.answerCall('security.list', ({ from }) =>
      from === undefined ? { entries: newest, next: 801 } : new Promise((resolve) => (answer = resolve)),
    );
    const button = screen.getByRole('button', { name: 'Load older entries' });
    await fireEvent.click(button);
    await waitFor(() => expect(bridge.askedFor('security.list').at(-1)).toMatchObject({ from: 103 }));
    bridge.push('notification', { name: 'stale', params: { topics: ['activity'] } });
    await within(await table()).findByRole('row', { name: /Login 1000/ });
    answer({ entries: [anEntry(102)], next: null });
    await waitFor(() => expect(button.ariaBusy).not.toBe('true'));
    expect((await table()).getAttribute('aria-rowcount')).toBe('201');
    expect(button.isConnected).toBe(true);
  });

  it('can be filtered by kind', async () => {
    open({ at: ['security-log'] });
    await table();
    const select = screen.getByLabelText('Kind of entry');
    await fireEvent.change(select, { target: { value: 'keys' } });
    const row = await within(await table()).findByRole('row', { name: /Key ben was authorized/ });
    expect(row.textContent).toContain('local');
    expect(within(await table()).queryByText('The master started')).toBeNull();
  });

  it('shows where the hash chain is broken, and why', async () => {
    const why = 'Entry 7 was changed: its hash does not match.';
    open({
      at: ['security-log'],
      report: { breaks: [{ file: 'f.jsonl', line: 7, seq: 7, why }], breakCount: 3 },
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Chain broken at entry 7');
    expect(alert.textContent).toContain(`${why} It is line 7 of f.jsonl. 2 further places broken, too.`);
  });

  it('can be exported to a file', async () => {
    const world = open({ at: ['security-log'] });
    await table();
    await fireEvent.click(screen.getByRole('button', { name: 'Export…' }));
    await waitFor(() => expect(world.bridge.askedFor('security.export')).toEqual([{}]));
  });

  it('is shown only to owners', async () => {
    open({ at: ['security-log'], role: 'operator' });
    expect(await screen.findByText('Only an owner sees the security log')).toBeTruthy();
    expect(screen.queryByRole('grid')).toBeNull();
  });
});
