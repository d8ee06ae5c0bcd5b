import { describe, expect, it } from 'vitest';
import { checkDocument, problemSentence } from '#shared/config/document.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { judgeMistakes, newMistakes, unknownSetting } from '#master/cli/upgrade/decide/check-findings.ts';
import { findShortage } from '#master/cli/upgrade/decide/disk-space.ts';
import { superfluousVersions } from '#master/cli/upgrade/decide/kept-versions.ts';
import { planRestore } from '#master/cli/upgrade/decide/restore-plan.ts';

describe('planRestore (files of the data folder in a rollback)', () => {
  it.each([
    { path: 'config/master.json', isReadable: true, hasServed: false, action: 'restore' },
    { path: 'config/templates/lobby.json', isReadable: true, hasServed: false, action: 'restore' },
    { path: 'state/holds.json', isReadable: true, hasServed: false, action: 'restore' },
    { path: 'config/keys.json', isReadable: true, hasServed: true, action: 'leave' },
    { path: 'config/keys.json', isReadable: false, hasServed: true, action: 'restore' },
    { path: 'state/nodes.json', isReadable: true, hasServed: false, action: 'leave' },
    { path: 'state/nodes.json', isReadable: false, hasServed: false, action: 'restore' },
    { path: 'state/services.json', isReadable: true, hasServed: false, action: 'leave' },
    { path: 'state/services.json', isReadable: false, hasServed: false, action: 'remove' },
    { path: 'state/services.json', isReadable: false, hasServed: true, action: 'remove' },
    { path: 'state/allowances.json', isReadable: false, hasServed: false, action: 'remove' },
    { path: 'state/activity.jsonl', isReadable: true, hasServed: false, action: 'leave' },
    { path: 'volumes/survival/1/volume.json', isReadable: false, hasServed: true, action: 'leave' },
  ])(
    'plans $action for $path (readable: $isReadable, new version has served: $hasServed)',
    ({ path, isReadable, hasServed, action }) => {
      expect(planRestore([{ path, isReadable }], { hasServed })).toEqual([{ path, action }]);
    },
  );
});

describe('superfluousVersions (installed versions that an upgrade removes)', () => {
  it('returns all versions except the two that were replaced last', () => {
    const kept = [
      { version: '0.3.0', keptAt: 1 },
      { version: '0.1.0', keptAt: 4 },
      { version: '0.2.0', keptAt: 3 },
      { version: '0.4.0', keptAt: 2 },
    ];
    expect(superfluousVersions(kept)).toEqual(['0.4.0', '0.3.0']);
    expect(superfluousVersions(kept.slice(0, 2))).toEqual([]);
  });
});

describe('newMistakes (mistakes that only the new version finds)', () => {
  const mistake = (file: string, problem = 'wrong') => ({ severity: 'mistake', file, problem }) as const;

  it('ignores files in which the installed version also finds a mistake', () => {
    const ofNewer = [mistake('config/master.json'), mistake('state/nodes.json', 'unreadable')];
    const ofInstalled = [mistake('config/master.json', 'worded differently')];
    expect(newMistakes(ofNewer, ofInstalled)).toEqual([ofNewer[1]]);
  });

  it('names mistakes in each document that a copy of the data contains', () => {
    const found = [mistake('volumes/survival/1/volume.json'), mistake('backup/settings.json')];
    expect(newMistakes(found, [])).toEqual(found);
  });

  it('ignores warnings and files of templates', () => {
    const warning = { severity: 'warning', file: 'config/master.json', problem: 'odd' } as const;
    expect(newMistakes([warning, mistake('templates/lobby')], [])).toEqual([]);
  });
});

describe('judgeMistakes (mistakes that only the new version finds)', () => {
  const template = 'config/templates/lobby.json';
  const unknown = (setting: string, file: string) => ({
    ...({ severity: 'mistake', file } as const),
    problem: `${setting} (line 3) is not a known key; allowed: name.`,
  });
  const found = [
    unknown('world.border', template),
    unknown('world.border', 'config/templates/practice.json'),
    unknown('limits', 'config/master.json'),
  ];
  const wrong = { severity: 'mistake', file: template, problem: 'name is too long.' } as const;

  it('lets an older version ignore the settings that it does not know', () => {
    expect(judgeMistakes(found, { isOlder: true })).toEqual({
      refused: null,
      ignored: ['world.border', 'limits'],
    });
  });

  it('refuses an older version that cannot use another value of the same file', () => {
    expect(judgeMistakes([...found, wrong], { isOlder: true }).refused).toBe(wrong);
  });

  it('refuses a newer version that does not know a setting', () => {
    expect(judgeMistakes(found, { isOlder: false })).toEqual({ refused: found[0], ignored: [] });
  });

  it('accepts a version that finds no mistakes', () => {
    expect(judgeMistakes([], { isOlder: false })).toEqual({ refused: null, ignored: [] });
  });
});

describe('unknownSetting (the setting that a version does not know)', () => {
  it('reads the setting from the sentence that the check of a document prints', () => {
    const reading = checkDocument(masterConfigSchema, { provider: { colour: 'red' } });
    const [problem] = reading.kind === 'faulty' ? reading.problems : [];
    expect(unknownSetting(problem === undefined ? '' : problemSentence(problem))).toBe('provider.colour');
  });

  it.each(['name is too long: found "is not a known key".', 'It cannot be read: x is not a known key.'])(
    'is null for another problem: %s',
    (problem) => {
      expect(unknownSetting(problem)).toBeNull();
    },
  );
});

describe('findShortage (lack of disk space for an upgrade)', () => {
  const need = { folder: '/usr/lib', device: 1, free: 300_000_000, bytes: 150_000_000 };

  it('finds no shortage if each folder has enough space on a disk of its own', () => {
    expect(findShortage([need, { ...need, folder: '/var/lib', device: 2 }])).toBeNull();
  });

  it('finds a shortage if two folders share a disk without enough space for both', () => {
    expect(findShortage([need, { ...need, folder: '/var/lib' }])).toBe(
      'the disk of /usr/lib has 300 MB free, but the upgrade needs 368 MB',
    );
  });
});
