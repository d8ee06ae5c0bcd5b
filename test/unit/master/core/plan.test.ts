import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { aNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

const requested = (id: string, fields = {}) => aService(id, { state: 'REQUESTED', manual: true, ...fields });

describe('plan (decides the actions of one round)', () => {
  it('starts services of templates with a lower priority value first, and older requests first', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('late', { priority: 5 }), aTemplate('soon', { priority: 0 })],
      services: [
        requested('late-1', { requestedAt: 1 }),
        requested('soon-2', { requestedAt: 9 }),
        requested('soon-3', { requestedAt: 8 }),
      ],
    });
    const starts = plan(snapshot).actions.filter((action) => action.kind === 'start');
    expect(starts.map((start) => start.service)).toEqual(['soon-3', 'soon-2', 'late-1']);
  });

  it('never allocates more RAM than a node has, and reports the services that wait for RAM', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t')],
      nodes: [aNode({ ramMb: 3_000 })],
      services: [aService('t-1', { state: 'IN_USE' }), requested('t-2'), requested('t-3')],
    });
    const { actions, waiting } = plan(snapshot);
    expect(actions).toMatchObject([{ kind: 'start', service: 't-2' }]);
    expect(waiting.get('t-3')).toMatchObject({ reason: 'RAM_FULL' });
    expect(waiting.get('t-3')?.message).toContain('It needs 1399 MB, but at most 202 MB are free');
  });

  it('counts the RAM of a stopping service until the service has exited', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t')],
      nodes: [aNode({ ramMb: 1_400 })],
      services: [aService('t-1', { stopping: true }), requested('t-2')],
    });
    expect(plan(snapshot).actions).toEqual([]);
  });

  it('starts a service on the node with the least free RAM that is sufficient', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t')],
      nodes: [
        aNode({ id: 'big', ramMb: 9_000 }),
        aNode({ id: 'snug', ramMb: 1_500 }),
        aNode({ id: 'small', ramMb: 1_000 }),
      ],
      services: [requested('t-1')],
    });
    expect(plan(snapshot).actions).toMatchObject([{ kind: 'start', node: 'snug' }]);
  });

  it('stops the services of a deleted template once no players are on them', () => {
    const snapshot = aSnapshot({ services: [aService('old-1'), aService('old-2', { state: 'IN_USE' })] });
    expect(plan(snapshot).actions).toEqual([
      { kind: 'stop', service: 'old-1', cause: 'template old was deleted' },
    ]);
  });

  it.each([
    { says: 'a missing server.jar', template: { hasJar: false }, node: {}, want: 'SERVER_JAR_MISSING' },
    {
      says: 'a folder that cannot be used',
      template: { problem: 'it holds a link.' },
      node: {},
      want: 'TEMPLATE_UNREADABLE',
    },
    { says: 'files being written', template: { changing: true }, node: {}, want: 'FILES_CHANGING' },
    {
      says: 'a first upload in progress',
      template: { changing: true, hasJar: false, revision: null },
      node: {},
      want: 'FILES_CHANGING',
    },
    { says: 'a failed start', template: { retryAt: NOW + 1 }, node: {}, want: 'BACKING_OFF' },
    { says: 'a missing Java runtime', template: {}, node: { hasJava: false }, want: 'JAVA_MISSING' },
    {
      says: 'a lack of nodes that accept services',
      template: {},
      node: { state: 'CORDONED' as const },
      want: 'NO_NODE',
    },
    { says: 'other starts in progress', template: {}, node: { startBudget: 0 }, want: 'START_BUDGET' },
  ])('makes a service wait because of $says, with the reason $want', ({ template, node, want }) => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', {}, template)],
      nodes: [aNode(node)],
      services: [requested('t-1')],
    });
    const { actions, waiting } = plan(snapshot);
    expect(actions).toEqual([]);
    expect(waiting.get('t-1')?.reason).toBe(want);
    expect(waiting.get('t-1')?.message).toMatch(/\.$/);
  });

  it('starts a template with its own Java runtime on a node without Java', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', {}, { bringsJava: true })],
      nodes: [aNode({ hasJava: false })],
      services: [requested('t-1')],
    });
    expect(plan(snapshot).actions).toMatchObject([{ kind: 'start', service: 't-1' }]);
  });

  it('starts a service again once its back-off has expired', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', {}, { retryAt: NOW })],
      services: [requested('t-1')],
    });
    expect(plan(snapshot).actions).toMatchObject([{ kind: 'start', service: 't-1' }]);
  });
});
