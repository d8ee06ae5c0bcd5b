import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addMasterPackages } from '../../../../build/scripts/packaging/app/master-packages.mjs';
import { debName } from '../../../../build/scripts/packaging/master/make-master.mjs';
import { projectFacts } from '../../../../build/scripts/packaging/project-facts.mjs';
import {
  notesOfRelease,
  releaseNotes,
  withWholeLinks,
} from '../../../../build/scripts/packaging/release-notes.mjs';
import { root } from '../../../../build/scripts/paths.mjs';
import { VERSION } from '#shared/version.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { projectFiles } from '../../docs/pages.ts';

describe('the release notes', () => {
  const changelog = [
    '# Changelog',
    '',
    '## [Unreleased]',
    '',
    '## [1.1.0] - 2026-02-01',
    '',
    '### New',
    '- B',
    '',
    '## [1.0.0] - 2026-01-01',
    '',
    '- A',
    '',
  ].join('\n');

  it('are the section of the changelog about the version', () => {
    expect(releaseNotes(changelog, '1.1.0')).toBe('### New\n- B');
    expect(releaseNotes(changelog, '1.0.0')).toBe('- A');
  });

  it.each([
    ['has no section', changelog, '1.2.0'],
    ['has an empty section', changelog.replace('- A', ''), '1.0.0'],
    ['has a section without a date', changelog.replace(' - 2026-02-01', ''), '1.1.0'],
  ])('cannot be created if the version %s', (_case, text, version) => {
    expect(() => releaseNotes(text, version)).toThrow(`no section "## [${version}] - YYYY-MM-DD"`);
  });

  it('exist for the current version, with fewer than 480 words', () => {
    const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), VERSION);
    // Limit the reading time to two minutes, at 240 words per minute.
    expect(notes.split(/\s+/).length).toBeLessThan(480);
  });

  it('link to files of the project with full addresses', () => {
    expect(withWholeLinks('[a](NEWS.md#b), [c](https://c.example/d)', 'https://host/x/')).toBe(
      '[a](https://host/x/NEWS.md#b), [c](https://c.example/d)',
    );
  });

  it('are not created for a tag of a different version', () => {
    expect(() => notesOfRelease('v0.0.1')).toThrow(`does not match the version ${VERSION}`);
  });
});

describe('the web address of the project', () => {
  it('is defined only in package.json', () => {
    const { homepage, maintainer } = projectFacts();
    const address = /<(.+)>/.exec(maintainer)?.[1] ?? '';
    expect(address).toContain('@');
    const texts = projectFiles().filter((path) =>
      /\.(?:json|md|ya?ml|m?js|ts|svelte|html|service)$/.test(path),
    );
    const naming = texts.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return text.includes(homepage) || text.includes(address);
    });
    expect(naming).toEqual(['package.json']);
  });
});

describe("the master's packages inside the app", () => {
  afterEach(() => vi.unstubAllEnvs());
  const names = [debName(VERSION, 'amd64'), debName(VERSION, 'arm64')];

  /** Creates a folder with these packages and one other package, and a folder for the resources of the app. */
  function folders(packages: readonly string[]): { release: string; resources: string } {
    const release = temporaryFolder();
    const resources = join(temporaryFolder(), 'resources');
    mkdirSync(resources);
    for (const name of [...packages, 'overworld-master_0.0.1_amd64.deb'])
      writeFileSync(join(release, name), name);
    return { release, resources };
  }

  it('have the version of the app, and exist for both architectures', async () => {
    const { release, resources } = folders(names);
    await addMasterPackages(release, resources);
    expect(readdirSync(join(resources, 'packages')).sort()).toEqual(names);
  });

  it('may be missing in a local build, but not in a release', async () => {
    const { release, resources } = folders(names.slice(1));
    await addMasterPackages(release, resources);
    expect(readdirSync(join(resources, 'packages'))).toEqual(names.slice(1));
    vi.stubEnv('OVERWORLD_RELEASE', '1');
    await expect(addMasterPackages(release, resources)).rejects.toThrow(`would lack ${names[0]}`);
  });
});
