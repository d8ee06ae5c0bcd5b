import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import Console from '#renderer/screens/services/console/Console.svelte';
import FailureLog from '#renderer/screens/services/console/FailureLog.svelte';
import MergedConsole from '#renderer/screens/services/console/MergedConsole.svelte';
import { MergedLog } from '#renderer/stores/console/merged-log.svelte.ts';
import { link } from '#renderer/stores/connection/link.svelte.ts';
import { keepStoresLive } from '#renderer/stores/live.ts';
import { players } from '#renderer/stores/players.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aPlayer, aService, AT } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, installBridge } from '../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

const service = aService('lobby', 1);
const line = (seq: number, text = `line ${seq}`) => ({ seq, text });

function say(...lines: { seq: number; text: string }[]): void {
  bridge.push('notification', { name: 'service.log', params: { id: 'lobby-1', lines, ended: false } });
}

function log(): HTMLElement {
  return screen.getByRole('log', { name: 'Console of lobby-1' });
}

describe('the console of a service', () => {
  beforeEach(() => {
    bridge = bridgeOver({});
    installBridge(bridge);
    bridge.answerCall('services.followLog', () => [line(0), line(1, '\u001b[31mred line\u001b[0m')]);
    stops = [pretendLayout({ width: 800, height: 400 }), keepStoresLive(), link.connect()];
  });
  afterEach(() => {
    for (const stop of stops.reverse()) stop();
  });

  it('shows the last lines and then each new line once, without escape sequences', async () => {
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('red line'));
    say(line(1, 'red line'), line(2));
    await waitFor(() => expect(log().textContent).toContain('line 2'));
    expect(log().textContent.match(/red line/g)).toHaveLength(1);
    expect(log().textContent).not.toContain('\u001b');
  });

  it('loses no line that arrives while the last lines are loaded', async () => {
    let answer: (lines: { seq: number; text: string }[]) => void = () => undefined;
    bridge.answerCall('services.followLog', () => new Promise((resolve) => (answer = resolve)));
    render(Console, { service });
    await waitFor(() => expect(bridge.askedFor('services.followLog')).toHaveLength(1));
    say(line(2));
    answer([line(0), line(1)]);
    await waitFor(() => expect(log().textContent).toMatch(/line 0.*line 1.*line 2/s));
  });

  it('stops scrolling when the user scrolls up, and continues on request', async () => {
    render(Console, { service });
    await fireEvent.wheel(log(), { deltaY: -100 });
    const button = screen.getByRole('button', { name: 'Paused' });
    expect(button.getAttribute('aria-pressed')).toBe('false');
    await fireEvent.click(button);
    expect(screen.getByRole('button', { name: 'Following' })).toBeTruthy();
  });

  it('counts and highlights the matches of the search', async () => {
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 0'));
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search in console' }), {
      target: { value: 'RED' },
    });
    expect(screen.getByText('1 match')).toBeTruthy();
    expect(log().querySelector('mark')?.textContent).toBe('red');
  });

  it('sends commands, and recalls earlier commands with the arrow keys', async () => {
    bridge.answerCall('services.command', () => ({}));
    render(Console, { service });
    const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
    await waitFor(() => expect(input.disabled).toBe(false));
    for (const command of ['say one', 'say two']) {
      await fireEvent.input(input, { target: { value: command } });
      await fireEvent.keyDown(input, { key: 'Enter' });
      await waitFor(() => expect(input.value).toBe(''));
    }
    expect(bridge.askedFor('services.command')).toEqual([
      { id: 'lobby-1', line: 'say one' },
      { id: 'lobby-1', line: 'say two' },
    ]);
    await fireEvent.keyDown(input, { key: 'ArrowUp' });
    await fireEvent.keyDown(input, { key: 'ArrowUp' });
    expect(input.value).toBe('say one');
    await fireEvent.keyDown(input, { key: 'ArrowDown' });
    await fireEvent.keyDown(input, { key: 'ArrowDown' });
    expect(input.value).toBe('');
  });

  it('keeps a rejected command in the input field, and shows the reason', async () => {
    bridge.answerCall('services.command', () => {
      throw new OverworldError('SERVICE_NOT_STARTED', { service: 'lobby-1', state: 'STARTING' });
    });
    render(Console, { service });
    const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
    await waitFor(() => expect(input.disabled).toBe(false));
    await fireEvent.input(input, { target: { value: 'say hello' } });
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect((await screen.findByRole('alert')).textContent).toContain('has no running process');
    expect(input.value).toBe('say hello');
  });

  it.each(['say two', 'say onesay two'])(
    'keeps what is typed while the previous command is sent: %s',
    async (typed) => {
      let sent: () => void = () => undefined;
      bridge.answerCall('services.command', () => new Promise((resolve) => (sent = () => resolve({}))));
      render(Console, { service });
      const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
      await waitFor(() => expect(input.disabled).toBe(false));
      await fireEvent.input(input, { target: { value: 'say one' } });
      await fireEvent.keyDown(input, { key: 'Enter' });
      await waitFor(() => expect(bridge.askedFor('services.command')).toHaveLength(1));
      await fireEvent.input(input, { target: { value: typed } });
      sent();
      // The next command is accepted as soon as the previous one was sent.
      await waitFor(async () => {
        await fireEvent.keyDown(input, { key: 'Enter' });
        expect(bridge.askedFor('services.command').at(1)).toEqual({ id: 'lobby-1', line: 'say two' });
      });
    },
  );

  it('accepts no commands while the service has no process', () => {
    render(Console, { service: { ...service, state: 'PREPARING', pid: null } });
    const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
    expect(input.disabled).toBe(true);
  });

  it('loads the new log when a new process of the service starts', async () => {
    const { rerender, unmount } = render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 0'));
    bridge.answerCall('services.followLog', () => [line(0, 'second life')]);
    await rerender({ service: { ...service, pid: 9999 } });
    await waitFor(() => expect(log().textContent).toContain('second life'));
    expect(log().textContent).not.toContain('red line');
    unmount();
    expect(bridge.askedFor('services.unfollowLog')).toEqual([{ id: 'lobby-1' }]);
  });

  it('completes commands with Tab, or moves the focus if there is nothing to complete', async () => {
    render(Console, { service });
    const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
    await waitFor(() => expect(input.disabled).toBe(false));
    expect(await fireEvent.keyDown(input, { key: 'Tab' })).toBe(true);
    await fireEvent.input(input, { target: { value: 'save-' } });
    expect(await fireEvent.keyDown(input, { key: 'Tab' })).toBe(false);
    expect(input.value).toBe('save-all');
    await fireEvent.keyDown(input, { key: 'Tab' });
    expect(input.value).toBe('save-all flush');
    expect(screen.getByText('save-off')).toBeTruthy();
    await fireEvent.keyDown(input, { key: 'Escape' });
    expect(screen.queryByText('save-off')).toBeNull();
    expect(await fireEvent.keyDown(input, { key: 'Tab', shiftKey: true })).toBe(true);
  });

  it('completes the name of a player whose join appears in the log', async () => {
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 0'));
    say(line(2, '[12:00:00 INFO]: Ada joined the game'));
    const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
    await fireEvent.input(input, { target: { value: 'kick a' } });
    await fireEvent.keyDown(input, { key: 'Tab' });
    expect(input.value).toBe('kick Ada');
  });

  it('completes the names of online players, and offers players on this service first', async () => {
    bridge.answerCall('players.list', () => ({
      total: 2,
      limit: 100,
      players: [aPlayer('Alan', 1, { server: 'lobby-1' }), aPlayer('Ada', 2, { server: 'lobby-2' })],
    }));
    render(Console, { service });
    const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command for lobby-1' });
    await waitFor(() => expect(input.disabled).toBe(false));
    input.focus();
    await waitFor(() => expect(players.list).toHaveLength(2));
    await fireEvent.input(input, { target: { value: 'kick a' } });
    await fireEvent.keyDown(input, { key: 'Tab' });
    expect(input.value).toBe('kick Alan');
    await fireEvent.keyDown(input, { key: 'Tab' });
    expect(input.value).toBe('kick Ada');
  });

  it('does not load the list of players until the user types a command', async () => {
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 0'));
    expect(bridge.askedFor('players.list')).toEqual([]);
  });

  it('shows warnings, errors and stack traces in colour, and supports 24-bit colours', async () => {
    bridge.answerCall('services.followLog', () => [
      line(0, '[12:34:56 WARN]: late'),
      line(1, '[12:34:56 ERROR]: failed'),
      line(2, '\tat a.B.c(D.java:1)'),
      line(3, '\u001b[38;2;255;85;85mrose\u001b[0;48;2;0;0;90mdeep\u001b[m'),
    ]);
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('rose'));
    const toneOf = (text: string) => screen.getByText(text).className;
    expect(toneOf('[12:34:56 WARN]: late')).toContain('warn');
    expect(toneOf('[12:34:56 ERROR]: failed')).toContain('error');
    expect(screen.getByText(/at a\.B\.c/).className).toContain('trace');
    expect(screen.getByText('rose').style.color).toBe('rgb(255, 85, 85)');
    expect(screen.getByText('deep').style.backgroundColor).toBe('rgb(0, 0, 90)');
  });

  it('wraps long lines between words, and copies them without these line breaks', async () => {
    const text = `${'word '.repeat(30)}end`;
    bridge.answerCall('services.followLog', () => [line(0, text)]);
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('word'));
    expect(log().textContent).toContain(text);
    for (const end of log().querySelectorAll('.next-row')) end.textContent = '|';
    expect(log().textContent).toMatch(/word \|word/);
    expect(log().textContent).not.toMatch(/\S\|/);
  });

  it("hides the server's prompt", async () => {
    bridge.answerCall('services.followLog', () => [line(0, '\u001b[m>\r12:00:00 [INFO] Listening')]);
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('Listening'));
    expect(log().textContent).not.toContain('>');
  });

  it('searches the whole stored log, and shows a match with the lines around it', async () => {
    bridge
      .answerCall('services.followLog', () => [line(900), line(901)])
      .answerCall('services.searchLog', ({ text, caseSensitive }) => {
        expect({ text, caseSensitive }).toEqual({ text: 'needle', caseSensitive: true });
        return { lines: [line(40, 'a needle')], more: false };
      })
      .answerCall('services.readLog', ({ from, limit }) => ({
        lines: Array.from({ length: limit }, (_, n) => line(from + n, from + n === 40 ? 'a needle' : 'hay')),
        next: null,
      }));
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 900'));
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search in console' }), {
      target: { value: 'needle' },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Match case' }));
    await fireEvent.click(screen.getByRole('button', { name: 'Search whole log' }));
    await fireEvent.click(await screen.findByRole('button', { name: /a needle/ }));
    await screen.findByText(/Earlier lines: 1 to/);
    expect(log().textContent).not.toContain('line 900');
    await fireEvent.click(screen.getByRole('button', { name: 'Back to the end' }));
    await waitFor(() => expect(log().textContent).toContain('line 900'));
  });

  it('searches the whole stored log only once while the service changes', async () => {
    bridge.answerCall('services.searchLog', () => ({ lines: [line(40, 'a needle')], more: false }));
    const { rerender } = render(Console, { service });
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search in console' }), {
      target: { value: 'needle' },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Search whole log' }));
    const hit = await screen.findByRole('button', { name: /a needle/ });
    await rerender({ service: aService('lobby', 1, { players: { online: 7, max: 50 } }) });
    expect(hit.isConnected).toBe(true);
    expect(bridge.askedFor('services.searchLog')).toHaveLength(1);
  });

  it('copies selected lines in full and without colours', async () => {
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('red line'));
    const copied: Record<string, string> = {};
    const copy = new Event('copy', { bubbles: true, cancelable: true });
    Object.assign(copy, {
      clipboardData: { setData: (type: string, text: string) => (copied[type] = text) },
    });
    await fireEvent.keyDown(log(), { key: 'ArrowUp', shiftKey: true });
    await fireEvent.keyDown(log(), { key: 'ArrowUp', shiftKey: true });
    log().dispatchEvent(copy);
    expect(copied['text/plain']).toBe('line 0\nred line');
  });
});

describe('the log of the last failed attempt of a service', () => {
  it('is read once for each failure, not for each change of the service', async () => {
    bridge = bridgeOver({}).answerCall('services.failureLog', () => ['Could not bind']);
    installBridge(bridge);
    const error = toWire(
      new OverworldError('SERVICE_EXITED', { service: 'lobby-1', exit: '1', lastLine: null }),
    );
    const failure = { at: AT, error, attempts: 1 };
    const { rerender } = render(FailureLog, { id: 'lobby-1', failure });
    const shown = await screen.findByText('Could not bind');
    await rerender({ failure: { ...failure } });
    expect(shown.isConnected).toBe(true);
    expect(bridge.askedFor('services.failureLog')).toHaveLength(1);
    await rerender({ failure: { ...failure, at: AT + 1, attempts: 2 } });
    expect(bridge.askedFor('services.failureLog')).toHaveLength(2);
  });
});

describe('the merged console of a template', () => {
  it('says which part of the log is missing, and loads it on request', async () => {
    const running = [aService('lobby', 1), aService('lobby', 2)];
    bridge = bridgeOver({ services: running }).answerCall('services.followLog', ({ id }) => {
      if (id === 'lobby-1') return [line(0, 'from one')];
      throw new OverworldError('TOO_MANY', { what: 'logs', limit: 64 });
    });
    const undo = [pretendLayout({ width: 800, height: 400 }), connectStores(bridge)];
    onTestFinished(() => undo.forEach((stop) => stop()));
    render(MergedConsole, { template: 'lobby', log: new MergedLog() });
    expect((await screen.findByRole('alert')).textContent).toContain('The lines of 1 service are missing');
    expect(await screen.findByText(/^1 service of lobby/)).toBeTruthy();
    bridge.answerCall('services.followLog', () => [line(0, 'from two')]);
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.getByRole('log').textContent).toMatch(/from one.*from two/s));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByText(/^2 services of lobby/)).toBeTruthy();
  });
});
