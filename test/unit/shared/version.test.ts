import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VERSION } from '#shared/version.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Manifest {
  readonly version: string;
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

/** CONTRIBUTING.md says how to change the version. */
describe('the constant VERSION', () => {
  it('equals the version in package.json and package-lock.json', () => {
    const lock = JSON.parse(read('package-lock.json')) as Manifest;
    const manifest = JSON.parse(read('package.json')) as Manifest;
    expect([manifest.version, lock.version, lock.packages['']?.version]).toEqual([VERSION, VERSION, VERSION]);
  });

  it('equals the version of the newest changes in CHANGELOG.md', () => {
    const [newest] = [...read('CHANGELOG.md').matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, version]) => version);
    expect(newest).toBe(VERSION);
  });

  it('equals the version in the manual page', () => {
    expect(read('docs/overworld-master.1')).toContain(`"Overworld ${VERSION}"`);
  });

  it('equals the version in the manifests of the plugin, into which the build inserts it', () => {
    const folder = 'master/plugin/resources/';
    const manifests = readdirSync(new URL(folder, root)).filter((name) =>
      read(folder + name).includes('version'),
    );
    expect(manifests.length).toBeGreaterThan(2);
    for (const name of manifests) expect(read(folder + name)).toMatch(/"?version"?[:=] ?"?\$\{version\}/);
  });
});
