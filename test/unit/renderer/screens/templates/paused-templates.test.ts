import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import type { Template } from '#shared/model/template.ts';
import type { WaitReason } from '#shared/model/wait.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

async function open(template: Template, ...at: readonly string[]): Promise<void> {
  bridge = bridgeOver({ templates: [template] });
  stops.push(connectStores(bridge));
  route.go('templates', ...at);
  render(TemplatesScreen);
  await waitFor(() => expect(templates.value).toEqual([template]));
}

const lacking = (reason: WaitReason, message: string): Template =>
  aTemplate(
    'lobby',
    { maximumOnlineServers: 4 },
    { unmet: { missing: 2, wait: { reason, message, until: null } } },
  );

function row(): HTMLElement {
  const found = within(screen.getByRole('grid', { name: 'Templates' })).getAllByRole('row')[1];
  if (found === undefined) throw new Error('no row');
  return found;
}

async function fromMenu(name: string): Promise<void> {
  const more = screen.getByRole('button', { name: 'More actions' });
  more.focus();
  await fireEvent.keyDown(more, { key: 'Enter' });
  await fireEvent.click(within(await screen.findByRole('menu')).getByRole('menuitem', { name }));
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
  templateDrafts.forget('lobby');
});

describe('the automation of a template', () => {
  it("can be paused and resumed in the menu of the template's page", async () => {
    await open(aTemplate('lobby'), 'lobby');
    await fromMenu('Pause automation');
    const title = await screen.findByText('Automation of template lobby is paused');
    const strip = title.closest<HTMLElement>('[role="status"]');
    if (strip === null) throw new Error('no strip');
    expect(strip.textContent).toContain('Services that you start by hand still start.');
    await fireEvent.click(within(strip).getByRole('button', { name: 'Resume automation' }));
    await waitFor(() => expect(screen.queryByText('Automation of template lobby is paused')).toBeNull());
    expect(bridge.askedFor('templates.hold')).toEqual([
      { id: 'lobby', held: true },
      { id: 'lobby', held: false },
    ]);
  });

  it('is marked as paused in the list of templates, and can be resumed there', async () => {
    await open(aTemplate('lobby', {}, { held: true }));
    expect(within(row()).getByText('Paused').title).toContain('they still count');
    await fireEvent.contextMenu(row());
    const menu = await screen.findByRole('menu');
    await fireEvent.click(within(menu).getByRole('menuitem', { name: 'Resume automation' }));
    await waitFor(() => expect(within(row()).getByText('Ready')).toBeTruthy());
  });
});

describe('a template that has fewer services than its minimum', () => {
  it('shows the reason on its page, with a link to the remedy', async () => {
    await open(lacking('CAP_REACHED', 'maximumOnlineServers is 4, and 4 exist.'), 'lobby', 'files');
    const title = await screen.findByText('2 services missing');
    expect(title.closest('[role="status"]')?.textContent).toContain('maximumOnlineServers is 4');
    await fireEvent.click(screen.getByRole('button', { name: 'Raise maximum of lobby' }));
    const field = await screen.findByRole('spinbutton', { name: 'Maximum online services' });
    await waitFor(() => expect(document.activeElement).toBe(field));
  });

  it('shows the reason in the list', async () => {
    await open(lacking('NO_OFFER', 'Nothing fits.'));
    expect(within(row()).getByText('No server available').title).toBe('2 services missing: Nothing fits.');
  });

  it('shows no missing services while it is paused', async () => {
    const template = { ...lacking('HELD', 'Automation of template lobby is paused.'), held: true };
    await open(template, 'lobby');
    expect(await screen.findByText('Automation of template lobby is paused')).toBeTruthy();
    expect(screen.queryByText(/missing/)).toBeNull();
  });
});
