import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFolder } from '../../../../build/scripts/packaging/contents/bundled-packages.mjs';
import { artefactBom, type Bom } from '../../../../build/scripts/packaging/contents/sbom.mjs';
import { artefactsAmong, writeSums } from '../../../../build/scripts/packaging/contents/sums.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('the checksum file of a release', () => {
  it('lists the files that people download, but no working files of electron-builder', () => {
    const names = ['b.deb', 'a.tar.gz', 'a.cdx.json', 'builder-debug.yml', 'latest-linux.yml', 'SHA256SUMS'];
    expect(artefactsAmong(names)).toEqual(['a.cdx.json', 'a.tar.gz', 'b.deb']);
  });

  it('is written in the format of sha256sum', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'linux-unpacked'));
    writeFileSync(join(folder, 'a.deb'), 'abc');
    expect(await writeSums(folder)).toBe(1);
    expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.deb\n',
    );
  });
});

describe('the npm packages in a bundle', () => {
  it.each([
    ['../../../node_modules/zod/v4/core/api.js', 'node_modules/zod'],
    ['../../node_modules/@peculiar/asn1-x509/build/a.js', 'node_modules/@peculiar/asn1-x509'],
    ['../node_modules/ssh2/node_modules/@x/y/z.js', 'node_modules/ssh2/node_modules/@x/y'],
    ['../../../master/index.ts', null],
  ])('are found by the paths of the bundled source files: %s', (source, wanted) => {
    expect(packageFolder(source)).toBe(wanted);
  });
});

describe('the bill of materials of a release file', () => {
  const npm = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, type: 'library', name, version: '1.0.0' });
  const development = [{ name: 'cdx:npm:package:development', value: 'true' }];
  const project: Bom = {
    serialNumber: 'urn:uuid:random',
    metadata: { timestamp: 'now', component: npm('project') },
    components: ['a', 'b', 'tool'].map((name) => ({
      ...npm(name),
      scope: 'optional',
      properties: development,
    })),
    dependencies: [
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0', 'tool@1.0.0'] },
      { ref: 'tool@1.0.0', dependsOn: [] },
    ],
  };
  const product = { type: 'application', name: 'overworld-master', version: '2.0.0' };
  const node = { ...npm('node'), type: 'platform' };
  const packages = ['a', 'b'].map((name) => ({ name, version: '1.0.0' }));
  const artefact = { product, packages, runtimes: [node], dateS: 0 };

  it('lists the runtime and the bundled packages, but no build tools', () => {
    const bom = artefactBom(project, artefact);
    expect(bom.components.map(({ name, scope }) => [name, scope])).toEqual([
      ['node', undefined],
      ['a', 'required'],
      ['b', 'required'],
    ]);
    expect(JSON.stringify(bom)).not.toMatch(/tool|development/);
    expect(bom.dependencies[0]).toEqual({
      ref: 'overworld-master@2.0.0',
      dependsOn: ['node@1.0.0', 'a@1.0.0', 'b@1.0.0'],
    });
    expect(bom.metadata.component).toEqual({ ...product, 'bom-ref': 'overworld-master@2.0.0' });
  });

  it('is the same for the same file, and has a different serial number for a different file', () => {
    const again = artefactBom(
      { ...project, metadata: { ...project.metadata, timestamp: 'later' }, serialNumber: 'urn:uuid:other' },
      artefact,
    );
    expect(again).toEqual(artefactBom(project, artefact));
    const other = artefactBom(project, { ...artefact, packages: packages.slice(1) });
    expect(other.serialNumber).not.toBe(again.serialNumber);
    expect(again.serialNumber).toMatch(
      /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/,
    );
  });

  it('cannot be created if a bundled package is not in the lock file', () => {
    const missing = [{ name: 'unknown', version: '3.0.0' }];
    expect(() => artefactBom(project, { ...artefact, packages: missing })).toThrow(/unknown@3\.0\.0/);
  });
});
