import { describe, expect, it } from 'vitest';
import { provisionOf, type ProvisionFacts } from '#master/templates/hand-over.ts';

const facts: ProvisionFacts = {
  isProxy: true,
  software: null,
  handOver: { host: '203.0.113.7', port: 1510, fingerprint: 'ab'.repeat(32), service: 'gate-1', token: 't0' },
  pluginJar: Buffer.from('jar'),
  forwarding: { kind: 'legacy', secret: 'S3', checked: true },
};

describe('provisionOf (files that the master adds to the files of a service)', () => {
  it('returns the plugin, and a file with its connection settings that only the service can read', () => {
    const { files, forwarding } = provisionOf(facts);
    expect(files.map(({ path, mode }) => [path, mode])).toEqual([
      ['plugins/overworld.jar', 0o644],
      ['overworld-link.properties', 0o600],
    ]);
    // All services share one buffer instead of copies.
    expect(files[0]?.content).toBe(facts.pluginJar);
    expect(forwarding).toBe(facts.forwarding);
  });

  it('returns forwarding settings but no files if there is no plugin for the software', () => {
    const vanilla = { ...facts, isProxy: false, software: 'net.minecraft.bundler.Main' };
    expect(provisionOf(vanilla)).toEqual({ files: [], forwarding: facts.forwarding });
    expect(provisionOf({ ...facts, pluginJar: null }).files).toEqual([]);
  });
});
