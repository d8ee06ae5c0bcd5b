import { describe, expect, it } from 'vitest';
import { toProject, type ProjectAnswers } from '#master/nodes/hetzner/project/to-project.ts';
import type { ServerType } from '#master/nodes/hetzner/api/schemas.ts';
import { clusterLabels } from '#master/nodes/hetzner/labels.ts';

const NOW = 1_000_000;

const type: ServerType = {
  name: 'cpx22',
  cores: 2,
  memory: 4,
  disk: 80,
  architecture: 'x86',
  prices: [
    { location: 'nbg1', price_hourly: { net: 0.0312 }, price_monthly: { net: 19.49 } },
    { location: 'fsn1', price_hourly: { net: 0.0312 } },
  ],
  locations: [
    { name: 'nbg1', available: true, deprecation: null },
    { name: 'fsn1', available: false, deprecation: null },
    { name: 'hel1', available: true, deprecation: null },
  ],
};

function project(of: Partial<ProjectAnswers> = {}) {
  return toProject(
    {
      types: [type],
      ipv4: new Map([['nbg1', { perHour: 0.0008, perMonth: 0.5 }]]),
      locations: [{ name: 'nbg1', city: 'Nuremberg', country: 'DE', network_zone: 'eu-central' }],
      keys: [{ name: 'anna', fingerprint: 'b7:2f' }],
      servers: [],
      requests: { left: 10, perHour: 3600 },
      readAt: NOW,
      ...of,
    },
    'mine',
  );
}

describe('toProject (reads the project at the provider)', () => {
  it('returns offers with prices per hour and month that include IPv4, and omits offers without a price', () => {
    expect(project().types).toEqual([
      {
        ...{ name: 'cpx22', cores: 2, memoryGb: 4, serviceRamMb: 3676, architecture: 'x86' },
        offers: [
          { location: 'nbg1', perHour: 0.032, perMonth: 19.99, stock: 'available' },
          { location: 'fsn1', perHour: 0.0312, perMonth: null, stock: 'sold-out' },
        ],
      },
    ]);
  });

  it('omits types that no location sells, and marks the locations that no longer sell a type', () => {
    const ended = { unavailable_after: NOW };
    const places = (deprecation: typeof ended | null) => [
      { name: 'nbg1', available: true, deprecation: ended },
      { name: 'fsn1', available: true, deprecation },
    ];
    expect(project({ types: [{ ...type, locations: places(ended) }] }).types).toEqual([]);
    const [left] = project({ types: [{ ...type, locations: places(null) }] }).types;
    expect(left?.offers.map(({ stock }) => stock)).toEqual(['ended', 'available']);
  });

  it('counts the servers of this network, of other networks, and of no network', () => {
    const servers = [
      { labels: clusterLabels('mine') },
      { labels: clusterLabels('theirs') },
      { labels: clusterLabels('theirs') },
      { labels: {} },
    ];
    expect(project({ servers }).servers).toEqual({ ours: 1, otherNetworks: 2, others: 1 });
  });
});
