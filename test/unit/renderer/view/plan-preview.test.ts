import { describe, expect, it } from 'vitest';
import { comparePreviews, summarizeConsequence, toPreviewLines } from '#renderer/view/plan-preview.ts';
import type { PreviewedAction, PlanPreview } from '#shared/model/plan-preview.ts';
import type { Wait, WaitReason } from '#shared/model/wait.ts';

const nothing: PlanPreview = {
  actions: [],
  complete: true,
  waiting: [],
  unmet: [],
  noOrder: null,
  outdated: [],
};
const minimum = 'minimumRunningServers is 3; 1 ready, 0 starting';

const act = (kind: PreviewedAction['kind'], rest: Partial<PreviewedAction>): PreviewedAction => ({
  kind,
  afterMs: 0,
  service: null,
  node: null,
  cause: 'a rule',
  ...rest,
});
const wait = (reason: WaitReason): Wait => ({ reason, message: `Because of ${reason}.`, until: null });
/** Returns the request and the start of a service that the minimum requires. */
const comes = (service: string): PreviewedAction[] => [
  act('request', { service, cause: minimum }),
  act('start', { service, node: 'local', cause: 'priority 1; takes 4096 of 8000 MB free on local' }),
];
const lines = (edited: Partial<PlanPreview>, asIs: Partial<PlanPreview> = {}) =>
  toPreviewLines(comparePreviews({ ...nothing, ...edited }, { ...nothing, ...asIs })).map(
    ({ text, because }) => `${text} · ${because}`,
  );

describe('the texts of a plan preview', () => {
  it('describe the request and the start of a service in one line, with the reason', () => {
    expect(lines({ actions: [...comes('lobby-4'), ...comes('lobby-5')] })).toEqual([
      `Starts lobby-4, lobby-5 · Keeps 3 empty services ready`,
    ]);
  });

  it('contain at most four names of services, and the number of the others', () => {
    const actions = [1, 2, 3, 4, 5, 6].flatMap((n) => comes(`lobby-${n}`));
    expect(lines({ actions })).toEqual([
      `Starts lobby-1, lobby-2, lobby-3, lobby-4 and 2 more · Keeps 3 empty services ready`,
    ]);
  });

  it('do not mention cancelled actions if the preview is incomplete', () => {
    const asIs = { actions: comes('lobby-4') };
    expect(lines({ complete: false }, asIs)).toEqual([]);
    expect(lines({}, asIs)).toHaveLength(1);
  });

  it("do not mention changes that would also happen without the user's edit", () => {
    const anyway = comes('arena-1');
    const waiting = [{ service: 'proxy-1', wait: wait('SERVER_JAR_MISSING') }];
    expect(
      lines({ actions: [...anyway, ...comes('lobby-4')], waiting }, { actions: anyway, waiting }),
    ).toEqual([`Starts lobby-4 · Keeps 3 empty services ready`]);
    expect(lines({ actions: anyway, waiting }, { actions: anyway, waiting })).toEqual([]);
  });

  it('contain the time of an action, and mention an action if the edit changes its time', () => {
    const stop = (afterMs: number) => act('stop', { service: 'lobby-2', afterMs, cause: 'unused' });
    expect(lines({ actions: [stop(119_700)] })).toEqual(['Stops lobby-2 after 2 minutes · unused']);
    expect(lines({ actions: [stop(45_200)] })).toEqual(['Stops lobby-2 after 45 seconds · unused']);
    expect(lines({ actions: [stop(600_000)] }, { actions: [stop(120_000)] })).toEqual([
      'Stops lobby-2 after 10 minutes · unused',
    ]);
    expect(lines({ actions: [stop(120_000)] }, { actions: [stop(120_400)] })).toEqual([]);
  });

  it('describe all stops of a template in one line, even at different times', () => {
    const stops = [1, 2].map((n) => act('stop', { service: `lobby-${n}`, cause: `unused for ${n} s` }));
    expect(lines({ actions: stops })).toEqual(['Stops lobby-1, lobby-2 · unused for 1 s']);
  });

  it('mention actions that the edit prevents', () => {
    expect(lines({}, { actions: comes('lobby-4') })).toEqual([
      `No longer starts lobby-4 · Keeps 3 empty services ready`,
    ]);
  });

  it('mention waiting and missing services, and nodes that cannot be ordered', () => {
    const edited = {
      actions: [act('request', { service: 'lobby-4', cause: minimum }), act('order', { node: 'node-2' })],
      waiting: [{ service: 'lobby-4', wait: wait('RAM_FULL') }],
      unmet: [{ template: 'lobby', unmet: { missing: 2, wait: wait('CAP_REACHED') } }],
      noOrder: wait('CONFIGURE_MODE'),
    };
    expect(lines(edited)).toEqual([
      'Orders node-2 · a rule',
      'lobby-4 would wait · Because of RAM_FULL.',
      'lobby would be missing 2 services · Because of CAP_REACHED.',
      'No node would be ordered · Because of CONFIGURE_MODE.',
    ]);
  });

  it('mention services that would not be replaced, even if no service is missing', () => {
    const unmet = [{ template: 'survival', unmet: { missing: 0, wait: wait('VOLUME_UNSAVABLE') } }];
    expect(lines({ unmet })).toEqual([
      'Services of survival would not be replaced · Because of VOLUME_UNSAVABLE.',
    ]);
  });

  it('mention services that become outdated and continue to run', () => {
    const outdated = [
      { template: 'lobby', services: 3 },
      { template: 'gate', services: 1 },
    ];
    expect(lines({ outdated })).toEqual([
      '3 services of lobby become outdated · they keep running with the old settings until they are restarted',
      '1 service of gate becomes outdated · it keeps running with the old settings until it is restarted',
    ]);
  });

  it('have a summary of one line', () => {
    const sum = (edited: Partial<PlanPreview>, asIs: Partial<PlanPreview> = {}) =>
      summarizeConsequence(comparePreviews({ ...nothing, ...edited }, { ...nothing, ...asIs }));
    expect(sum({})).toBe('');
    expect(
      sum({
        actions: [...comes('lobby-4'), ...comes('lobby-5'), act('order', { node: 'node-2' })],
        waiting: [{ service: 'lobby-6', wait: wait('RAM_FULL') }],
      }),
    ).toBe('starts 2 services, orders 1 node, 1 service would wait');
    expect(sum({ outdated: [{ template: 'lobby', services: 3 }] })).toBe(
      '3 services of lobby become outdated',
    );
    expect(sum({}, { actions: comes('lobby-4') })).toBe('cancels planned changes');
  });
});
