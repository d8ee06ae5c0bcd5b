import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { previewFolded } from '#renderer/stores/app/remembered.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PlanPreview } from '#shared/model/plan-preview.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

const nothing: PlanPreview = {
  actions: [],
  complete: true,
  waiting: [],
  unmet: [],
  noOrder: null,
  outdated: [],
};

/**
 * Returns the preview of a master on which lobby-1 runs and the next number is 2. The preview starts the services
 * that are missing for the minimum.
 */
function previewPlan(minimum: number): PlanPreview {
  const cause = `minimumRunningServers is ${minimum}; 1 ready, 0 starting`;
  const actions = Array.from({ length: Math.max(0, minimum - 1) }, (_, i) => {
    const service = `lobby-${i + 2}`;
    return [
      { kind: 'request' as const, afterMs: 0, service, node: null, cause },
      { kind: 'start' as const, afterMs: 0, service, node: 'local', cause: 'fits' },
    ];
  });
  return { ...nothing, actions: actions.flat() };
}

function minimumOf(template: { config?: unknown } | undefined): number {
  const { config } = template ?? { config: { minimumRunningServers: 1 } };
  return (config as { minimumRunningServers: number }).minimumRunningServers;
}

function open(): void {
  bridge = bridgeOver({ templates: [aTemplate('lobby', { minimumRunningServers: 1 })] });
  bridge.answerCall('plan.preview', ({ template }) => previewPlan(minimumOf(template)));
  stops.push(connectStores(bridge));
  route.go('templates', 'lobby');
  render(TemplatesScreen);
}

const type = async (name: string, value: string) =>
  fireEvent.input(await screen.findByRole('spinbutton', { name }), { target: { value } });
const panel = () => screen.findByRole('region', { name: 'Effect of this change' });
/** Returns the minimum of each draft for which a preview was requested. Omits the preview without changes. */
const askedMinimums = () =>
  bridge
    .askedFor('plan.preview')
    .flatMap((params) => ((params as { template?: object }).template === undefined ? [] : [params]))
    .map((params) => minimumOf((params as { template: { config: unknown } }).template));

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
  templateDrafts.forget('lobby');
  if (previewFolded.on) previewFolded.toggle();
});

describe('the preview of the effects of changes to a template', () => {
  it('is shown only if there are changes, and says which services start and why', async () => {
    open();
    await screen.findByRole('spinbutton', { name: 'Minimum running services' });
    expect(screen.queryByRole('region', { name: 'Effect of this change' })).toBeNull();
    expect(bridge.askedFor('plan.preview')).toEqual([]);
    await type('Minimum running services', '3');
    const box = await panel();
    expect(box.textContent).toContain('with the current players');
    await waitFor(() =>
      expect(within(box).getByRole('listitem').textContent.trim()).toBe(
        'Starts lobby-2, lobby-3 · Keeps 3 empty services ready',
      ),
    );
    expect(within(box).getByRole('status').textContent).toBe('starts 2 services');
  });

  it('shows if the changes have no effect', async () => {
    open();
    await type('Priority', '4');
    await waitFor(async () => expect((await panel()).textContent).toContain('Nothing would change now.'));
  });

  it('contains the number of services that become outdated', async () => {
    open();
    bridge.answerCall('plan.preview', ({ template }) =>
      template === undefined ? nothing : { ...nothing, outdated: [{ template: 'lobby', services: 3 }] },
    );
    await type('Maximum JVM memory', '8192');
    const box = await panel();
    await waitFor(() =>
      expect(within(box).getByRole('listitem').textContent.trim()).toBe(
        '3 services of lobby become outdated · they keep running with the old settings until they are restarted',
      ),
    );
    expect(within(box).getByRole('status').textContent).toBe('3 services of lobby become outdated');
  });

  it('is requested when the user stops typing', async () => {
    open();
    for (const value of ['2', '20', '200', '4']) await type('Minimum running services', value);
    await waitFor(async () =>
      expect((await panel()).textContent).toContain('Starts lobby-2, lobby-3, lobby-4'),
    );
    expect(askedMinimums()).toEqual([4]);
  });

  it('ignores an answer that arrives after another change', async () => {
    open();
    let answerLate: (preview: PlanPreview) => void = () => undefined;
    const late = new Promise<PlanPreview>((resolve) => (answerLate = resolve));
    bridge.answerCall('plan.preview', ({ template }) => {
      const minimum = minimumOf(template);
      return minimum === 9 ? late : previewPlan(minimum);
    });
    await type('Minimum running services', '9');
    await waitFor(() => expect(askedMinimums()).toEqual([9]));
    await type('Minimum running services', '2');
    await waitFor(async () => expect((await panel()).textContent).toContain('Starts lobby-2 ·'));
    answerLate(previewPlan(9));
    await late;
    // Wait for the next task of the event loop. By then, all effects of the response have run.
    await new Promise((resolve) => setTimeout(resolve));
    expect(askedMinimums()).toEqual([9, 2]);
    expect((await panel()).textContent).toContain('Starts lobby-2 ·');
  });

  it('is unknown until the master has synchronised', async () => {
    open();
    bridge.answerCall('plan.preview', () => null);
    await type('Minimum running services', '2');
    await waitFor(async () => expect((await panel()).textContent).toContain('Not known yet'));
    bridge.answerCall('plan.preview', ({ template }) => previewPlan(minimumOf(template)));
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    await waitFor(async () => expect((await panel()).textContent).toContain('Starts lobby-2'), {
      timeout: 5_000,
    });
  });

  it('is not requested if the form contains mistakes', async () => {
    open();
    await type('Minimum JVM memory', '4096');
    expect((await panel()).textContent).toContain('Shown once all mistakes are corrected.');
    await type('Maximum JVM memory', '8192');
    await waitFor(async () => expect((await panel()).textContent).toContain('Nothing would change now.'));
    expect(askedMinimums()).toHaveLength(1);
  });

  it('shows eight lines, and more on request', async () => {
    open();
    const actions = Array.from({ length: 20 }, (_, i) => ({
      kind: 'order' as const,
      afterMs: 0,
      service: null,
      node: `node-${i + 1}`,
      cause: `reason ${i + 1}`,
    }));
    bridge.answerCall('plan.preview', ({ template }) =>
      template === undefined ? nothing : { ...nothing, actions },
    );
    await type('Priority', '4');
    const box = await panel();
    await waitFor(() => expect(within(box).getAllByRole('listitem')).toHaveLength(8));
    await fireEvent.click(within(box).getByRole('button', { name: 'and 12 more' }));
    expect(within(box).getAllByRole('listitem')).toHaveLength(20);
  });

  it('shows the reason if it is not available, and can be requested again', async () => {
    open();
    bridge.answerCall('plan.preview', () => {
      throw new OverworldError('INTERNAL', { what: 'the planner is away' });
    });
    await type('Minimum running services', '2');
    await waitFor(async () => expect((await panel()).textContent).toContain('the planner is away'));
    bridge.answerCall('plan.preview', ({ template }) => previewPlan(minimumOf(template)));
    await fireEvent.click(within(await panel()).getByRole('button', { name: 'Try again' }));
    await waitFor(async () => expect((await panel()).textContent).toContain('Starts lobby-2'));
  });

  it('can be collapsed to one line, and is also shown in the dialog before saving', async () => {
    open();
    await type('Minimum running services', '2');
    const box = await panel();
    await within(box).findByText('Starts lobby-2');
    await fireEvent.click(within(box).getByRole('button', { name: 'Effect of this change' }));
    expect(within(box).queryByText('Starts lobby-2')).toBeNull();
    expect(within(box).getByRole('status').textContent).toBe('starts 1 service');
    await fireEvent.click(screen.getByRole('button', { name: 'Review' }));
    const dialog = await screen.findByRole('dialog', { name: 'Review changes' });
    expect(within(dialog).getByText('Starts lobby-2')).toBeTruthy();
  });
});

describe('a setting of a template to which a link leads', () => {
  it('has the focus', async () => {
    open();
    route.go('templates', 'lobby', 'settings', 'maximumOnlineServers');
    const field = await screen.findByRole('switch', { name: 'Maximum online services: No limit' });
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(route.parts).toEqual(['templates', 'lobby', 'settings']);
  });
});
