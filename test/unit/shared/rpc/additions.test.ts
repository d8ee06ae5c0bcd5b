import { expect, it } from 'vitest';
import { additionOf, missingAt, type Addition } from '#shared/rpc/additions.ts';

const all: readonly Addition[] = [
  { since: 6, what: 'backups of worlds', methods: ['templates.revisions'] },
  { since: 6, what: null, methods: ['master.info'] },
  { since: 7, what: 'moving the network', methods: ['nodes.schedule', 'nodes.lock'] },
];

it('missingAt lists the visible additions of later versions', () => {
  expect(missingAt(7, all)).toEqual([]);
  expect(missingAt(6, all)).toEqual(['moving the network']);
  expect(missingAt(5, all)).toEqual(['backups of worlds', 'moving the network']);
});

it('additionOf finds an addition by any of its methods', () => {
  expect(additionOf('nodes.lock', all)?.since).toBe(7);
  expect(additionOf('nodes.list', all)).toBeUndefined();
});
