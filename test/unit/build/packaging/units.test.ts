import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';

const DATA = '/var/lib/overworld';

function unit(name: string): string {
  return readFileSync(join('build/packaging/overworld-master', name), 'utf8');
}

describe('the systemd unit of the backups', () => {
  it('makes no backups once the master is disabled, for example because it was moved to another server', () => {
    const target = /^WantedBy=(.*)$/m.exec(unit('overworld-master.service'))?.[1];
    const link = `/etc/systemd/system/${target}.wants/overworld-master.service`;
    expect(unit('overworld-master-backup.service').split('\n')).toContain(`ConditionPathExists=${link}`);
  });
});

describe.each(['overworld-master', 'overworld-ssh', 'overworld-master-backup'])(
  'the systemd unit %s',
  (name) => {
    it('starts only after all file systems inside the data folder are mounted', () => {
      const folders = Object.values(dataFolderAt(DATA)).filter((path) => path !== DATA);
      const required = [...unit(`${name}.service`).matchAll(/^RequiresMountsFor=(.*)$/gm)].flatMap(
        ([, paths = '']) => paths.split(' '),
      );
      expect(required.sort()).toEqual(folders.sort());
    });
  },
);
