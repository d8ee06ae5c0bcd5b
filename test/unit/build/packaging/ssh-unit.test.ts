import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';

const DATA = '/var/lib/overworld';

/** Folders that the SSH service may access. */
const SHOWN = ['templates', 'files', 'working-copies'];

/** Folders of the user's home that programs read. */
const HOME_FOLDERS = ['.ssh', '.config', '.cache', '.node_modules', '.node_libraries'];

function unit(name: string): string {
  return readFileSync(join('build/packaging/overworld-master', name), 'utf8');
}

describe('the systemd unit of the SSH service', () => {
  const { root, ...folders } = dataFolderAt(DATA);
  const secret = Object.values(folders).filter((path) => !SHOWN.includes(path.slice(root.length + 1)));
  const hidden = [...unit('overworld-ssh.service').matchAll(/^InaccessiblePaths=(.*)$/gm)].flatMap(
    ([, paths = '']) => paths.split(' '),
  );
  const wanted = [...secret, ...['run', ...HOME_FOLDERS].map((name) => join(DATA, name))].sort();

  it('hides all folders of the master that the file jail does not need, and fails if one of them is missing', () => {
    expect(secret).toEqual(expect.arrayContaining([`${DATA}/config`, `${DATA}/volumes`]));
    expect(hidden.filter((path) => path.startsWith(`${DATA}/`)).sort()).toEqual(wanted);
  });

  it("starts after the master's unit has created the hidden folders", () => {
    const master = unit('overworld-master.service');
    const made = [...master.matchAll(/^ExecStartPre=mkdir -p (.*)$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(made.sort()).toEqual(wanted);
    expect(master.lastIndexOf('ExecStartPre=mkdir')).toBeLessThan(
      master.indexOf('restart overworld-ssh.service'),
    );
  });

  it("also hides the folder with the settings of the master's commands", () => {
    const homes = ['overworld-master', 'overworld-master.service', 'overworld-master-backup.service'].map(
      (name) => /\bHOME=(.*)$/m.exec(unit(name))?.[1],
    );
    expect(homes).toEqual(Array(3).fill(`${DATA}/backup`));
    expect(hidden).toContain(`${DATA}/backup`);
  });
});
