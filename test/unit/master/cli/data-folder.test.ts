import { expect, it } from 'vitest';
import { chooseDataFolder } from '#master/cli/data-folder.ts';

const nothing = { isRoot: false, home: '/home/anna', unit: null, exists: () => false };
const OWN = '/home/anna/.local/share/overworld-master';

it.each([
  ['without a data folder, a user gets a new one in the home directory', {}, OWN],
  [
    'a user who has no data folder gets the data folder of the systemd unit',
    { unit: '/srv/overworld' },
    '/srv/overworld',
  ],
  [
    'a user who has a data folder gets this folder, even if the systemd unit has a different one',
    { unit: '/srv/overworld', exists: (path: string) => path === OWN },
    OWN,
  ],
  [
    'without a systemd unit, a user gets the existing data folder in /var/lib',
    { exists: (path: string) => path === '/var/lib/overworld' },
    '/var/lib/overworld',
  ],
  [
    'root gets the data folder of the systemd unit',
    { isRoot: true, unit: '/srv/overworld' },
    '/srv/overworld',
  ],
  [
    'without a systemd unit, root gets the data folder in /var/lib',
    { isRoot: true, exists: () => true },
    '/var/lib/overworld',
  ],
])('%s', (_what, facts, wanted) => {
  expect(chooseDataFolder({ ...nothing, ...facts })).toBe(wanted);
});
