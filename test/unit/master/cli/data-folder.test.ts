import { expect, it } from 'vitest';
import { chooseDataFolder } from '#master/cli/data-folder.ts';

const nothing = { isRoot: false, home: '/home/anna', unit: null, exists: () => false };
const OWN = '/home/anna/.local/share/overworld-master';

it.each([
  ['a person without any master gets a folder of their own', {}, OWN],
  ['a person gets the folder of the unit', { unit: '/srv/overworld' }, '/srv/overworld'],
  [
    "a person's own folder comes before the folder of the unit",
    { unit: '/srv/overworld', exists: (path: string) => path === OWN },
    OWN,
  ],
  [
    "the system's folder is found without a unit",
    { exists: (path: string) => path === '/var/lib/overworld' },
    '/var/lib/overworld',
  ],
  ['root gets the folder of the unit', { isRoot: true, unit: '/srv/overworld' }, '/srv/overworld'],
  [
    "root gets the system's folder without a unit",
    { isRoot: true, exists: () => true },
    '/var/lib/overworld',
  ],
])('%s', (_what, facts, wanted) => {
  expect(chooseDataFolder({ ...nothing, ...facts })).toBe(wanted);
});
