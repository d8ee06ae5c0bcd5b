import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ActivityScreen from '#renderer/screens/activity/ActivityScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate, AT } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver } from '../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;
let events: ActivityEvent[];

function anEvent(seq: number, rest: Partial<ActivityEvent> = {}): ActivityEvent {
  return {
    seq,
    at: AT + seq,
    kind: 'service.running',
    subject: { type: 'service', id: `lobby-${seq}` },
    template: 'lobby',
    actor: seq % 2 === 0 ? 'anna' : 'overworld',
    message: `event ${seq}`,
    cause: 'it answered',
    ...rest,
  };
}

const newest = (count: number, from = 1): ActivityEvent[] =>
  Array.from({ length: count }, (_, i) => anEvent(from + count - 1 - i));

const lines = () => screen.getAllByRole('article').map((line) => line.dataset['seq']);
/** Returns the scrolling box around the feed. */
function scroller(): HTMLElement {
  const { parentElement } = screen.getByRole('feed');
  if (parentElement === null) throw new Error('the feed stands in nothing');
  return parentElement;
}

function firstLine(): HTMLElement {
  const [line] = screen.getAllByRole('article');
  if (line === undefined) throw new Error('no event is shown');
  return line;
}

const lastQuery = () => bridge.askedFor('activity.list').at(-1);

async function open(): Promise<void> {
  bridge = bridgeOver({ templates: [aTemplate('lobby')], events });
  bridge.answerCall('activity.list', ({ before = Infinity, limit }) =>
    events.filter(({ seq }) => seq < before).slice(0, limit),
  );
  stops.push(connectStores(bridge));
  render(ActivityScreen);
  await waitFor(() => expect(lines().length).toBeGreaterThan(0));
}

async function happen(count: number): Promise<void> {
  events = [...newest(count, (events[0]?.seq ?? 0) + 1), ...events];
  bridge.push('notification', { name: 'stale', params: { topics: ['activity'] } });
  await waitFor(() => expect(bridge.askedFor('activity.list').length).toBeGreaterThan(2));
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
  events = newest(30);
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the activity log', () => {
  it('sends all selected filters together to the master', async () => {
    await open();
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: ' in use ' } });
    await waitFor(() => expect(lastQuery()).toMatchObject({ text: 'in use' }));
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Who' }).textContent).toContain('anna'));
    await fireEvent.change(screen.getByRole('combobox', { name: 'Who' }), { target: { value: 'anna' } });
    await fireEvent.change(screen.getByRole('combobox', { name: 'Kind of event' }), {
      target: { value: 'files' },
    });
    await fireEvent.change(screen.getByRole('combobox', { name: 'Time' }), { target: { value: '24h' } });
    await waitFor(() =>
      expect(lastQuery()).toMatchObject({
        text: 'in use',
        actor: 'anna',
        kinds: [
          'volume.restored',
          'volume.cloned',
          'volume.deleted',
          'files.written',
          'files.deleted',
          'files.renamed',
          'files.copied',
        ],
      }),
    );
    const { from } = lastQuery() as { from: number };
    expect(Date.now() - from).toBeGreaterThanOrEqual(86_400_000);
    expect(Date.now() - from).toBeLessThan(86_460_000);
    await fireEvent.click(screen.getByRole('button', { name: 'Clear filter' }));
    await waitFor(() => expect(lastQuery()).toEqual({ limit: 200 }));
  });

  it('does not move its lines while the pointer is on the list, but counts new events', async () => {
    await open();
    expect(lines()[0]).toBe('30');
    const list = scroller();
    await fireEvent.pointerEnter(list);
    await happen(12);
    const pill = await screen.findByRole('button', { name: '12 new events' });
    expect(lines()[0]).toBe('30');
    await fireEvent.click(pill);
    await waitFor(() => expect(lines()[0]).toBe('42'));
    expect(screen.queryByRole('button', { name: /new event/ })).toBeNull();
  });

  it('shows new events at once while the pointer is not on the list', async () => {
    await open();
    await happen(3);
    await waitFor(() => expect(lines()[0]).toBe('33'));
  });

  it('can be used with arrow keys and Enter, which opens the subject of the event', async () => {
    await open();
    const first = firstLine();
    expect(first.tabIndex).toBe(0);
    first.focus();
    await fireEvent.keyDown(first, { key: 'ArrowDown' });
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset['seq']).toBe('29'));
    await fireEvent.keyDown(document.activeElement as HTMLElement, { key: 'Enter' });
    expect(route.parts).toEqual(['services', 'lobby-29']);
  });

  it('loads older pages when the user scrolls to the end', async () => {
    events = newest(450);
    await open();
    const list = scroller();
    // Scroll to the end of the first page.
    list.scrollTop = 195 * 56;
    await fireEvent.scroll(list);
    await waitFor(() => expect(bridge.askedFor('activity.list')).toContainEqual({ limit: 200, before: 251 }));
  });

  it('loads older pages after more events than one page have arrived at once', async () => {
    await open();
    await happen(300);
    await waitFor(() => expect(lines()[0]).toBe('330'));
    const list = scroller();
    list.scrollTop = 195 * 56;
    await fireEvent.scroll(list);
    await waitFor(() => expect(bridge.askedFor('activity.list')).toContainEqual({ limit: 200, before: 131 }));
  });

  it('exports the events that match the selected filters', async () => {
    await open();
    bridge.answer('activity.export', () => ({ saved: true, events: 1234 }));
    const wanted = { target: { value: 'lobby' } };
    await fireEvent.change(screen.getByRole('combobox', { name: 'Template' }), wanted);
    const button = screen.getByRole('button', { name: 'Export' });
    button.focus();
    await fireEvent.keyDown(button, { key: 'Enter' });
    const menu = within(await screen.findByRole('menu'));
    await fireEvent.click(menu.getByRole('menuitem', { name: 'Export filtered events as a table (CSV)' }));
    await waitFor(() =>
      expect(bridge.askedFor('activity.export')).toEqual([{ filter: { template: 'lobby' }, format: 'csv' }]),
    );
  });
});
