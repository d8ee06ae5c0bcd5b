import { describe, expect, it } from 'vitest';
import { findOutdated, type ProcessFacts } from '#master/cli/install/running-process.ts';

const facts: ProcessFacts = {
  program: '/usr/lib/overworld-master/bin/node',
  address: { host: '0.0.0.0', port: 2022 },
  groups: [998, 108],
  communication: { hostname: '203.0.113.7', port: 1510 },
};

describe('a running master during install', () => {
  it('is not restarted if it already runs with the desired setup', () => {
    expect(findOutdated(facts, { ...facts, groups: [] })).toBeNull();
    expect(findOutdated(facts, { ...facts, groups: [108] })).toBeNull();
  });

  it.each([
    { wanted: { program: '/usr/lib/overworld-master-2/bin/node' }, why: /program/ },
    { wanted: { address: { host: '0.0.0.0', port: 2222 } }, why: /SSH port/ },
    { wanted: { address: { host: '::', port: 2022 } }, why: /SSH address/ },
    { wanted: { communication: { hostname: '203.0.113.8', port: 1510 } }, why: /communication/ },
    { wanted: { groups: [109] }, why: /group/ },
  ])('is restarted if its setup differs from $wanted', ({ wanted, why }) => {
    expect(findOutdated(facts, { ...facts, ...wanted })).toMatch(why);
  });
});
