import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { open, useConfigurationScreen } from './configuration-screen.ts';

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
