import { expect, it } from 'vitest';
import { OwnProject } from '#master/admin/own-project.ts';
import type { TestedProject } from '#master/nodes/provider-projects.ts';

const rental = { type: 'cpx22', since: 0, hourlyPrice: 0.03 };
const node = (id: string) => ({ id, address: '203.0.113.1', rental });

/**
 * Creates an OwnProject with a simulated provider. The first test reads the project. A later test reads it again only
 * if the test requests a fresh result.
 */
function setup() {
  const project = (ours: number): TestedProject => ({
    project: {
      ...{ locations: [], types: [], sshKeys: [], readAt: 0, requests: { left: 1, perHour: 1 } },
      servers: { ours, otherNetworks: 0, others: 0 },
    },
    offers: () => [],
  });
  const state = { servers: 0, nodes: [] as ReturnType<typeof node>[], reads: 0 };
  let answer: TestedProject | null = null;
  const read = (): TestedProject => {
    state.reads += 1;
    return (answer = project(state.servers));
  };
  const projects = {
    test: (_token: string, age?: 'fresh') =>
      Promise.resolve(age === 'fresh' || answer === null ? read() : answer),
  };
  return { state, own: new OwnProject({ projects, nodes: () => state.nodes }) };
}

it('OwnProject tests a token again if the cached result is older than the first node', async () => {
  const { own, state } = setup();
  expect((await own.test('token')).project.servers.ours).toBe(0);
  Object.assign(state, { servers: 1, nodes: [node('node-1')] });
  expect((await own.test('token')).project.servers.ours).toBe(1);
  expect(state.reads).toBe(2);
});

it('OwnProject refuses the token of another project, and repeats the test only after a node was added', async () => {
  const { own, state } = setup();
  await own.test('token');
  state.nodes = [node('node-1')];
  for (let n = 0; n < 5; n += 1)
    await expect(own.test('token')).rejects.toMatchObject({ code: 'PROVIDER_OTHER_PROJECT' });
  expect(state.reads).toBe(2);
  state.nodes.push(node('node-2'));
  await expect(own.test('token')).rejects.toMatchObject({ code: 'PROVIDER_OTHER_PROJECT' });
  expect(state.reads).toBe(3);
});
