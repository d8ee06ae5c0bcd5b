import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';

const DATA = '/var/lib/overworld';

/** Folders that the SSH service works in. */
const SHOWN = ['templates', 'files', 'volumes'];

function unit(name: string): string {
  return readFileSync(join('build/packaging/overworld-master', name), 'utf8');
}

describe('the unit of the SSH service', () => {
  const { root, ...folders } = dataFolderAt(DATA);
  const secret = Object.values(folders).filter((path) => !SHOWN.includes(path.slice(root.length + 1)));
  const hidden = [...unit('overworld-ssh.service').matchAll(/^InaccessiblePaths=(.*)$/gm)].flatMap(
    ([, paths = '']) => paths.split(' '),
  );

  it('hides all folders of the master that the jail does not need, and fails if one is missing', () => {
    expect(secret).toContain(`${DATA}/config`);
    expect(hidden.filter((path) => path.startsWith(DATA)).sort()).toEqual([...secret, `${DATA}/run`].sort());
  });

  it('starts after the unit of the master has made these folders', () => {
    const master = unit('overworld-master.service');
    const made = /^ExecStartPre=mkdir -p (.*)$/m.exec(master)?.[1]?.split(' ') ?? [];
    expect(made.sort()).toEqual([...secret, `${DATA}/run`].sort());
    expect(master.indexOf('ExecStartPre=mkdir')).toBeLessThan(
      master.indexOf('restart overworld-ssh.service'),
    );
  });
});
