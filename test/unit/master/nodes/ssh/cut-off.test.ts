import { describe, expect, it } from 'vitest';
import type { ContactState } from '#master/nodes/contact.ts';
import { isCutOff } from '#master/nodes/ssh/cut-off.ts';

const NOW = 100_000;
const silentFor = (ms: number): ContactState => ({ kind: 'silent', since: NOW - ms, problem: 'no answer' });
const waiting: ContactState = { kind: 'waiting', problem: 'no answer' };

describe('isCutOff (whether the master seems to have lost its own network)', () => {
  it.each<{ name: string; states: readonly ContactState[]; want: boolean }>([
    { name: 'there are no nodes', states: [], want: false },
    { name: 'the only node is booting', states: [waiting], want: false },
    { name: 'one node is ready', states: [silentFor(60_000), { kind: 'ready' }], want: false },
    {
      name: 'one node answers again',
      states: [silentFor(60_000), { kind: 'preparing', step: 's' }],
      want: false,
    },
    {
      name: 'one node answers but cannot be prepared',
      states: [silentFor(60_000), { kind: 'unprepared', since: 0, problem: 'its disk is full' }],
      want: false,
    },
    {
      name: 'one node has been silent only briefly',
      states: [silentFor(60_000), silentFor(5_000)],
      want: false,
    },
    {
      name: 'all nodes have been silent for a long time',
      states: [silentFor(60_000), silentFor(21_000)],
      want: true,
    },
    { name: 'all nodes are silent and one is booting', states: [silentFor(60_000), waiting], want: true },
  ])('returns $want if $name', ({ states, want }) => {
    expect(isCutOff(states, NOW)).toBe(want);
  });
});
