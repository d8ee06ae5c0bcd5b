import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import Frame from '#renderer/frame/Frame.svelte';
import { loadedScreens } from '#renderer/frame/screens.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { NEW_NETWORK, route } from '#renderer/stores/app/route.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { missingAt } from '#shared/rpc/additions.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { VERSION } from '#shared/version.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aLink, aService, aTemplate, aTransfer, aPlayer } from '#test/support/app/models.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { aMasterInfo, bridgeOver, installBridge } from '../support/window-world.ts';

let bridge: FakeBridge;
let undo: () => void;

/**
 * The stores exist as long as the window, so the tests in this file share one window. They follow the window from its
 * start.
 */
describe('Frame (the whole window of the app)', () => {
  // The app loads these modules on demand. Load them before the tests, because compiling them takes a while.
  beforeAll(async () => {
    await Promise.all([
      loadedScreens.load('overview'),
      loadedScreens.load('services'),
      import('#renderer/frame/palette/Palette.svelte'),
    ]);
  });
  beforeEach(() => {
    undo = pretendLayout({ width: 1200, height: 700 });
    window.matchMedia = () => new EventTarget() as MediaQueryList;
    bridge = bridgeOver({
      templates: [aTemplate('lobby')],
      services: [aService('lobby', 1), aService('lobby', 2)],
      players: [aPlayer('Ada', 1)],
    });
    installBridge(bridge);
  });
  afterEach(() => undo());

  it('shows the steps while it connects, and a reason and a retry button if it fails', async () => {
    const error = toWire(new OverworldError('EMBEDDED_MASTER_FAILED', { why: 'it exited with code 1' }));
    bridge.answer('link.get', () => aLink({ status: 'starting', generation: 0 }));
    bridge.answer('link.retry', () => ({}));
    render(Frame);
    expect(await screen.findByText('Start the master on this computer')).toBeTruthy();
    // The overview is rendered in advance, but stays invisible and unreachable until its data is known.
    expect(screen.queryByRole('navigation')).toBeNull();
    expect(screen.queryByRole('heading', { name: 'Overview' })).toBeNull();
    await waitFor(() => expect(document.querySelector('.ahead')?.textContent).toContain('Latest events'));
    expect(document.documentElement.dataset['live']).not.toBe('true');

    bridge.push('link', aLink({ status: 'waiting', error, retryAt: Date.now() + 9000, generation: 0 }));
    expect((await screen.findByRole('alert')).textContent).toContain('it exited with code 1');
    await fireEvent.click(screen.getByRole('button', { name: 'Try now' }));
    expect(bridge.askedFor('link.retry')).toHaveLength(1);
  });

  it('shows the Overview after it has connected and received the first data', async () => {
    let tellRights: () => void = () => undefined;
    bridge.answerCall(
      'master.info',
      () => new Promise((resolve) => (tellRights = () => resolve(aMasterInfo({})))),
    );
    render(Frame);
    await waitFor(() => expect(services.loaded && templates.value !== null).toBe(true));
    // A screen would request data that the key may not read.
    expect(screen.queryByRole('navigation', { name: 'Screens' })).toBeNull();
    tellRights();
    expect(await screen.findByRole('heading', { name: 'Overview' })).toBeTruthy();
    await waitFor(() => expect(document.documentElement.dataset['live']).toBe('true'));
    const rail = screen.getByRole('navigation', { name: 'Screens' });
    expect(within(rail).getByRole('link', { name: 'Overview' }).getAttribute('aria-current')).toBe('page');
    expect(rail.closest('.ahead')).toBeNull();
  });

  it('shows the last known data and its age while the app is offline', async () => {
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    services.readAt = Date.now() - 540_000;
    bridge.push('link', aLink({ status: 'waiting', retryAt: Date.now() + 5000 }));
    // The data was read nine minutes ago, but it was current until the connection was lost a few seconds ago.
    expect(await screen.findByText(/Data is a few seconds old\. Actions are disabled/)).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Overview' })).toBeTruthy();
    await waitFor(() => expect(document.documentElement.dataset['live']).toBe('false'));
  });

  it('shows that the master has another version, with a button that updates an older master', async () => {
    const older = aLink({
      ...{ connection: 'b', kind: 'remote', name: 'Berlin', generation: 7 },
      master: { version: '0.0.9', apiVersion: API_VERSION - 1 },
    });
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    bridge.push('link', older);
    await screen.findByText(
      `This master is version 0.0.9, the app is ${VERSION}. Not available here: ${missingAt(API_VERSION - 1).join(', ')}.`,
    );
    await fireEvent.click(screen.getByRole('button', { name: 'Update the master…' }));
    expect(route.parts).toEqual(['connections', '+update', 'b']);
    route.replace('overview');
    await fireEvent.click(screen.getByRole('button', { name: 'Hide' }));
    await waitFor(() => expect(screen.queryByText(/This master is version/)).toBeNull());
    bridge.push('link', {
      ...older,
      generation: 8,
      master: { version: '9.0.0', apiVersion: API_VERSION + 1 },
    });
    expect(
      await screen.findByText(/is version 9\.0\.0.*new in the master is not shown\. Update the app\./),
    ).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Update the master…' })).toBeNull();
    bridge.push('link', aLink({ generation: 9 }));
    await waitFor(() => expect(screen.queryByText(/This master is version/)).toBeNull());
  });

  it('lets the user cancel a transfer in the task list, except while a move removes its source', async () => {
    bridge.answer('transfers.cancel', () => ({}));
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    bridge.push('transfers', [
      aTransfer('1', { name: 'a.jar' }),
      aTransfer('2', { name: 'b.jar', move: true, step: 'comparing' }),
      aTransfer('3', { name: 'c.jar', move: true, step: 'removing' }),
      aTransfer('4', { name: 'd.jar', state: 'cancelling', endedAt: null }),
      aTransfer('5', { name: 'e.jar', move: true, step: 'removing', state: 'paused', endedAt: null }),
    ]);
    await fireEvent.click(
      await screen.findByRole('button', { name: /^Running tasks and messages: 5 tasks/ }),
    );
    const cancels = await screen.findAllByRole<HTMLButtonElement>('button', { name: /^Cancel .\.jar$/ });
    const states = cancels.map((one) => [one.getAttribute('aria-label'), one.disabled]);
    expect(Object.fromEntries(states)).toEqual({
      'Cancel a.jar': false,
      'Cancel b.jar': false,
      'Cancel c.jar': true,
      'Cancel d.jar': true,
      'Cancel e.jar': true,
    });
    expect(cancels.find(({ title }) => title.startsWith('Everything has arrived'))).toBeDefined();
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel b.jar' }));
    expect(bridge.askedFor('transfers.cancel')).toEqual([{ id: '2' }]);
  });

  it.each([
    ['another screen', () => bridge.push('navigate', { route: 'services' })],
    ['the previous screen', () => bridge.push('command', { name: 'back' })],
  ])('asks before the main process opens %s and a changed form is lost', async (_to, leave) => {
    onTestFinished(() => route.go('overview'));
    route.go('services');
    route.go('overview', NEW_NETWORK);
    render(Frame);
    const form = within(await screen.findByRole('dialog', { name: 'Create a network' }));
    const name = form.getByRole<HTMLInputElement>('textbox', { name: 'Name of the game mode' });
    await fireEvent.input(name, { target: { value: 'Skyblock' } });
    const asked = { name: 'Leave and discard unsaved changes?' };
    for (const button of ['Cancel', 'Leave and discard']) {
      leave();
      const question = await screen.findByRole('dialog', asked);
      expect(question.textContent).toContain('Unsaved: form “Create a network”.');
      expect(name.value).toBe('Skyblock');
      await fireEvent.click(within(question).getByRole('button', { name: button }));
      await waitFor(() => expect(screen.queryByRole('dialog', asked)).toBeNull());
    }
    await waitFor(() => expect(route.screen).toBe('services'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  async function typeIntoPalette(text: string): Promise<HTMLElement> {
    route.go('overview');
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    bridge.push('link', aLink({ generation: 8 }));
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true });
    const input = await screen.findByRole('combobox');
    await fireEvent.input(input, { target: { value: text } });
    return input;
  }

  it('focuses the input of the command palette at once, and closes the palette at once', async () => {
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    // The first use loads the palette's code.
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    await fireEvent.keyDown(await screen.findByRole('combobox'), { key: 'k', ctrlKey: true });
    await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());
    vi.stubGlobal('requestAnimationFrame', () => 0);
    onTestFinished(() => void vi.unstubAllGlobals());
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    await tick();
    const input = screen.getByRole('combobox');
    expect(document.activeElement).toBe(input);
    await fireEvent.keyDown(input, { key: 'k', ctrlKey: true });
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  it('opens and closes the command palette on a keyboard layout without Latin letters', async () => {
    const press = { key: 'л', code: 'KeyK', ctrlKey: true };
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    await fireEvent.keyDown(document.body, press);
    await fireEvent.keyDown(await screen.findByRole('combobox'), press);
    await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());
  });

  it('opens a service from the command palette with the keyboard alone', async () => {
    const input = await typeIntoPalette('lobby-2');
    const options = screen.getAllByRole('option');
    expect(options.map((option) => option.textContent.trim())).toEqual([
      expect.stringMatching(/^lobby-2\s*Empty$/),
    ]);
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(route.parts).toEqual(['services', 'lobby-2']);
    expect(await screen.findByRole('region', { name: 'lobby-2' })).toBeTruthy();
    await waitFor(() =>
      expect(bridge.askedFor('app.remember')).toContainEqual({ key: 'place', value: 'services/lobby-2' }),
    );
  });

  it('opens a screen with Ctrl and a digit, and focuses its list', async () => {
    route.go('overview');
    render(Frame);
    await screen.findByRole('heading', { name: 'Overview' });
    await fireEvent.keyDown(document.body, { key: '2', ctrlKey: true });
    const grid = await screen.findByRole('grid', { name: 'Services' });
    await waitFor(() => expect(document.activeElement).toBe(grid));
    await fireEvent.keyDown(grid, { key: '1', ctrlKey: true });
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Overview'));
  });

  it('moves the focus with F6 to the next pane, where it returns to the last focused element', async () => {
    route.go('services');
    render(Frame);
    const grid = await screen.findByRole('grid', { name: 'Services' });
    await fireEvent.keyDown(document.body, { key: '2', ctrlKey: true });
    await waitFor(() => expect(document.activeElement).toBe(grid));
    const pane = () => document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset['pane'];
    const press = (shiftKey: boolean) =>
      fireEvent.keyDown(document.activeElement ?? document.body, { key: 'F6', shiftKey });
    const seen: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      await press(false);
      seen.push(pane());
    }
    expect(seen).toEqual(['title bar', 'navigation', 'screen']);
    expect(document.activeElement).toBe(grid);
    await press(true);
    expect(pane()).toBe('navigation');
  });

  it('shows the keyboard shortcuts after a question mark is typed in a list', async () => {
    route.go('services');
    render(Frame);
    const grid = await screen.findByRole('grid', { name: 'Services' });
    grid.focus();
    await fireEvent.keyDown(grid, { key: '?', shiftKey: true });
    const sheet = await screen.findByRole('dialog', { name: /shortcuts/i });
    await fireEvent.keyDown(sheet, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('finds a setting in the command palette by words of the template and the setting', async () => {
    const input = await typeIntoPalette('lobby memory');
    const names = () => screen.getAllByRole('option').map((option) => option.textContent.trim());
    await waitFor(() => expect(names()[0]).toMatch(/^M(in|ax)imum JVM memory of lobby/));
    expect(names()[1]).toMatch(/^M(in|ax)imum JVM memory of lobby/);
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(route.parts.slice(0, 3)).toEqual(['templates', 'lobby', 'settings']);
  });

  it('finds a player in the command palette', async () => {
    const input = await typeIntoPalette('ada');
    // The online players are requested when the palette opens.
    await waitFor(() =>
      expect(screen.getByRole('option', { name: /^Ada\s*Player on lobby-1/ })).toBeTruthy(),
    );
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(route.parts).toEqual(['players', 'Ada']);
  });

  it('lists two players of the same name in the command palette', async () => {
    bridge = bridgeOver({ players: [aPlayer('Ada', 1), aPlayer('Ada', 2)] });
    installBridge(bridge);
    await typeIntoPalette('kick ada');
    await waitFor(() => expect(screen.getAllByRole('option', { name: /^Kick player Ada/ })).toHaveLength(2));
  });

  it.each([
    ['kick ada', 'Kick Ada?'],
    ['send ada', 'Send Ada to a service'],
    ['stop lobby-1', 'Stop service lobby-1?'],
  ])('opens a dialog before it runs the action “%s” of the command palette', async (typed, title) => {
    const input = await typeIntoPalette(typed);
    await waitFor(() => expect(screen.getAllByRole('option').length).toBeGreaterThan(0));
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(await screen.findByRole('dialog', { name: title })).toBeTruthy();
  });
});
