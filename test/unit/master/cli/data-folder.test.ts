import { expect, it } from 'vitest';
import { chooseDataFolder } from '#master/cli/data-folder.ts';

const nothing = { isRoot: false, home: '/home/anna', unit: null, exists: () => false };
const OWN = '/home/anna/.local/share/overworld-master';

it.each([
  ['a user gets a folder in their home if there is no data folder yet', {}, OWN],
  ['a user gets the data folder of the systemd unit', { unit: '/srv/overworld' }, '/srv/overworld'],
  [
    'a user gets their own data folder rather than the one of the systemd unit',
    { unit: '/srv/overworld', exists: (path: string) => path === OWN },
    OWN,
  ],
  [
    'a user gets the data folder of the system if it exists and there is no unit',
    { exists: (path: string) => path === '/var/lib/overworld' },
    '/var/lib/overworld',
  ],
  [
    'root gets the data folder of the systemd unit',
    { isRoot: true, unit: '/srv/overworld' },
    '/srv/overworld',
  ],
  [
    'root gets the data folder of the system if there is no unit',
    { isRoot: true, exists: () => true },
    '/var/lib/overworld',
  ],
])('%s', (_what, facts, wanted) => {
  expect(chooseDataFolder({ ...nothing, ...facts })).toBe(wanted);
});
