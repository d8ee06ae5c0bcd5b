import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aDocument, open, standard, useConfigurationScreen } from './configuration-screen.ts';

useConfigurationScreen();

const save = async () => fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
const saved = (bridge: FakeBridge) =>
  (bridge.askedFor('config.update')[0] as { config: MasterConfig }).config;

describe('the configuration screen', () => {
  it('shows every section, with the values in use beside the saved values', async () => {
    open({ document: aDocument({ running: { hostname: '127.0.0.1', port: 1999 } }) });
    for (const title of ['Communication', 'Provider', 'Firewall', 'Load balancer', 'Players']) {
      expect(await screen.findByRole('region', { name: title })).toBeTruthy();
    }
    expect(
      screen.getByText('Running with 1999. 1510 applies when the master restarts. 3 plugins linked.'),
    ).toBeTruthy();
    expect(screen.getByText('Running with 127.0.0.1.')).toBeTruthy();
  });

  it('never shows the stored API token, which the user can keep or replace', async () => {
    const world = open();
    const token = await screen.findByLabelText<HTMLInputElement>('API token');
    expect([token.value, token.readOnly]).toEqual(['••••', true]);
    await fireEvent.click(screen.getByRole('button', { name: 'Replace' }));
    const fresh = await screen.findByLabelText<HTMLInputElement>('API token');
    await waitFor(() => expect(document.activeElement).toBe(fresh));
    expect(fresh.type).toBe('password');
    await fireEvent.click(screen.getByRole('button', { name: 'Keep current value' }));
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
    await fireEvent.click(screen.getByRole('button', { name: 'Replace' }));
    await fireEvent.input(await screen.findByLabelText('API token'), { target: { value: 'new-token' } });
    await fireEvent.click(await screen.findByRole('button', { name: 'Review' }));
    expect(screen.getByRole('dialog').textContent).not.toContain('new-token');
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(world.bridge.askedFor('config.update')).toHaveLength(1));
    expect(saved(world.bridge).provider.api_token).toBe('new-token');
  });

  it('accepts an API token if none is set', async () => {
    const world = open({ document: aDocument({ config: masterConfigSchema.parse({}) }) });
    const token = await screen.findByLabelText<HTMLInputElement>('API token');
    await waitFor(() => expect(token.value).toBe(''));
    expect([token.placeholder, token.type]).toEqual(['Not set', 'password']);
    await fireEvent.input(token, { target: { value: 'first' } });
    await screen.findByRole('region', { name: 'Unsaved changes' });
    await fireEvent.input(token, { target: { value: '' } });
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull());
    await fireEvent.input(token, { target: { value: 'first-token' } });
    await fireEvent.click(await screen.findByRole('button', { name: 'Review' }));
    const review = screen.getByRole('dialog');
    expect(review.textContent).toContain('not set');
    expect(review.textContent).not.toContain('first-token');
    await fireEvent.click(within(review).getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(world.bridge.askedFor('config.update')).toHaveLength(1));
    expect(saved(world.bridge).provider.api_token).toBe('first-token');
  });

  it('keeps the focus on the token field when the user saves with Ctrl+S', async () => {
    const world = open({ document: aDocument({ config: masterConfigSchema.parse({}) }) });
    // As with the real master, the response does not contain the stored token.
    world.bridge.answerCall('config.update', () => (world.document = aDocument({ configRevision: 'r2' })));
    const token = await screen.findByLabelText<HTMLInputElement>('API token');
    await waitFor(() => expect(token.value).toBe(''));
    token.focus();
    await fireEvent.input(token, { target: { value: 'first-token' } });
    await screen.findByRole('region', { name: 'Unsaved changes' });
    await fireEvent.keyDown(token, { key: 's', ctrlKey: true });
    const replace = await screen.findByRole('button', { name: 'Replace' });
    await waitFor(() => expect(document.activeElement).toBe(replace));
  });

  it('asks for confirmation before configure mode is switched off, but not when it is switched on', async () => {
    open();
    const toggle = await screen.findByRole('switch', { name: 'Configure mode' });
    await fireEvent.click(toggle);
    const dialog = await screen.findByRole('dialog', { name: 'Switch configure mode off?' });
    expect(dialog.textContent).toContain('costs money');
    expect(toggle.getAttribute('aria-checked')).toBe('true');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Switch configure mode off' }));
    await waitFor(() => expect(toggle.getAttribute('aria-checked')).toBe('false'));
    await fireEvent.click(toggle);
    expect(toggle.getAttribute('aria-checked')).toBe('true');
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
  });

  it('shows firewall rules in an editable table, and shows mistakes in a rule', async () => {
    const world = open();
    const add = await screen.findByRole('button', { name: 'Add rule' });
    for (const [rule, port] of [
      [1, '25565'],
      [2, '25565'],
    ] as const) {
      await fireEvent.click(add);
      const input = await screen.findByRole('textbox', { name: `Port of rule ${rule}` });
      await waitFor(() => expect(document.activeElement).toBe(input));
      await fireEvent.input(input, { target: { value: port } });
      await fireEvent.blur(input);
    }
    expect(await screen.findByText('Is the same as rule 1')).toBeTruthy();
    const sources = screen.getByRole('textbox', { name: 'Source addresses of rule 2' });
    await fireEvent.input(sources, { target: { value: '203.0.113.7' } });
    await fireEvent.keyDown(sources, { key: 'Enter' });
    expect(await screen.findByText('203.0.113.7: Write 203.0.113.7/32 for this one address')).toBeTruthy();
    await fireEvent.keyDown(sources, { key: 'Backspace' });
    await fireEvent.input(sources, { target: { value: '203.0.113.7/32' } });
    await fireEvent.keyDown(sources, { key: 'Enter' });
    await save();
    await waitFor(() => expect(world.bridge.askedFor('config.update')).toHaveLength(1));
    expect(saved(world.bridge).firewall_rules).toEqual([
      { port: '25565', protocol: 'tcp' },
      { port: '25565', protocol: 'tcp', source_ips: ['203.0.113.7/32'] },
    ]);
  });

  it('focuses the field that the address of the screen names', async () => {
    open({ at: ['provider.location'], project: null });
    const field = await screen.findByRole('textbox', { name: 'Location' });
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(route.address).toBe('configuration');
  });

  it('is read-only except for owners, and explains why', async () => {
    open({ role: 'operator', project: null });
    expect(await screen.findByText('Your key has the role operator; this needs owner.')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Location' }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add rule' }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Replace' }).disabled).toBe(true);
  });

  it('compares a faulty file with the values in use, and can replace the file with these values', async () => {
    const problem = {
      field: 'provider.location',
      problem: 'must be a text',
      value: '5',
      allowed: 'a location code such as nbg1',
      default: '"nbg1"',
      line: 3,
    };
    const onDisk = { max_online_players: 55, provider: { location: 5, api_tokn: '••••' } };
    const world = open({ document: aDocument({ problems: [problem], onDisk }) });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('provider.location (line 3) must be a text: found 5');
    const row = within(alert).getByRole('row', { name: /max_online_players/ });
    expect(
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['100 players', '55 players', '100 players']);
    await fireEvent.click(within(alert).getByRole('button', { name: 'Replace it with the values in use' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Replace file' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('config.update')).toEqual([{ config: standard, basedOn: 'r1' }]),
    );
  });
});
