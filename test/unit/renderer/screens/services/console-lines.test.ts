import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Console from '#renderer/screens/services/console/Console.svelte';
import ConsolePanel from '#renderer/screens/services/console/ConsolePanel.svelte';
import { MOST_LINES } from '#renderer/stores/console/service-console.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aService } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

/** Height of a row of the console (px). */
const ROW = 20;

let stops: (() => void)[] = [];
let bridge: FakeBridge;
let world: WindowWorld;

const service = aService('lobby', 1, { pid: 1 });
const restarted = aService('lobby', 1, { pid: 2 });
const line = (seq: number, text = `line ${seq}`): LogLine => ({ seq, text });
const linesFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => line(first + n));
const log = () => screen.getByRole('log', { name: 'Console of lobby-1' });

/** Lets the master answer a request for the newest lines with these lines. */
function answerWith(lines: readonly LogLine[]): void {
  bridge.answerCall('services.followLog', () => [...lines]);
}

function say(...lines: LogLine[]): void {
  bridge.push('notification', { name: 'service.log', params: { id: 'lobby-1', lines, ended: false } });
}

/** Scrolls up to a row, as a person who reads earlier lines. */
async function readAt(row: number): Promise<void> {
  // jsdom has no layout, so the end of the lines would be visible everywhere.
  Object.defineProperty(log(), 'scrollHeight', { value: MOST_LINES * ROW });
  await fireEvent.wheel(log(), { deltaY: -100 });
  log().scrollTop = row * ROW;
  await fireEvent.scroll(log());
}

const current = () => log().querySelector('.current')?.textContent;
const pressF3 = () => fireEvent.keyDown(log(), { key: 'F3' });

async function search(text: string): Promise<void> {
  await fireEvent.input(screen.getByRole('searchbox', { name: 'Search in console' }), {
    target: { value: text },
  });
}

beforeEach(() => {
  world = { services: [service] };
  bridge = bridgeOver(world).answerCall('services.readLog', ({ from, limit }) => ({
    lines: linesFrom(from, limit),
    next: null,
  }));
  stops = [pretendLayout({ width: 800, height: 400 }), connectStores(bridge)];
});

afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the lines of a paused console', () => {
  it('stay in place when new lines push the oldest ones out', async () => {
    answerWith(linesFrom(0, MOST_LINES));
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 0'));
    await readAt(1000);
    await waitFor(() => expect(log().textContent).toContain('line 1000'));
    say(...linesFrom(MOST_LINES, 5));
    await waitFor(() => expect(log().scrollTop).toBe(995 * ROW));
  });

  it('stay in place when older lines are loaded', async () => {
    answerWith(linesFrom(3000, 2000));
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 3000'));
    await readAt(2);
    await waitFor(() => expect(log().scrollTop).toBe(1002 * ROW));
  });
});

describe('the search in a console', () => {
  it('stays at the visited match when older lines are loaded', async () => {
    answerWith([line(3000, 'first needle'), line(3001, 'second needle'), ...linesFrom(3002, 10)]);
    render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('line 3002'));
    await search('needle');
    await pressF3();
    await waitFor(() => expect(current()).toBe('second needle'));
    await readAt(0);
    await waitFor(() => expect(log().textContent).toMatch(/line 2\d{3}/));
    await pressF3();
    expect(screen.getByText('1 / 2 matches')).toBeTruthy();
  });
});

describe('the console of a restarted service', () => {
  beforeEach(() => answerWith([line(0, 'old'), line(1, 'old needle')]));

  it('marks its tab as unread, although the new log is shorter', async () => {
    const onunread = vi.fn();
    const tab = { kind: 'service', id: 'lobby-1' } as const;
    const { rerender } = render(ConsolePanel, { tab, shown: true, onunread });
    await waitFor(() => expect(log().textContent).toContain('old needle'));
    await rerender({ shown: false });
    answerWith([line(0, 'new')]);
    world.services = [restarted];
    await services.refresh();
    await waitFor(() => expect(onunread).toHaveBeenLastCalledWith(true));
  });

  it('announces its first lines', async () => {
    const { rerender } = render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('old needle'));
    await fireEvent.focusIn(log());
    answerWith([line(0, 'new')]);
    await rerender({ service: restarted });
    await waitFor(() => expect(document.querySelector('[aria-live="polite"]')?.textContent).toBe('new'), {
      timeout: 5000,
    });
  });

  it('searches the new log again, and selects and visits none of its lines', async () => {
    bridge.answerCall('services.searchLog', () => ({ lines: [line(1, 'old needle')], more: false }));
    const { rerender } = render(Console, { service });
    await waitFor(() => expect(log().textContent).toContain('old needle'));
    await search('needle');
    await pressF3();
    await fireEvent.keyDown(log(), { key: 'ArrowUp', shiftKey: true });
    await waitFor(() => expect(current()).toBe('old needle'));
    expect(log().querySelectorAll('.picked')).toHaveLength(1);
    await fireEvent.click(screen.getByRole('button', { name: 'Search whole log' }));
    await screen.findByRole('button', { name: /old needle/ });
    bridge.answerCall('services.searchLog', () => ({ lines: [line(7, 'new needle')], more: false }));
    answerWith([line(0, 'new'), line(1, 'other'), line(2, 'another')]);
    await rerender({ service: restarted });
    await screen.findByRole('button', { name: /new needle/ });
    expect(log().querySelectorAll('.current, .picked')).toHaveLength(0);
  });
});
