import { describe, expect, it } from 'vitest';
import {
  projectWords,
  toFamilyCards,
  toLocationCards,
  toTypeRows,
  type ServerRules,
} from '#renderer/view/provider.ts';
import type { ProviderOffer } from '#shared/model/provider.ts';
import { aProject, aServerType } from '#test/support/app/models.ts';

const rules: ServerRules = { prefix: 'cpx', blocked: [], locations: ['nbg1', 'fsn1'] };
const offer = (location: string, stock: ProviderOffer['stock'], perHour = 0.05): ProviderOffer => ({
  ...{ location, stock, perHour },
  perMonth: perHour * 624,
});

describe('the texts about the cloud provider', () => {
  it('contain the available types and the lowest price for each location', () => {
    const texts = (of: Partial<ServerRules>) =>
      toLocationCards(aProject(), { ...rules, ...of }, '').map(({ text }) => text);
    expect(texts({})).toEqual([
      'eu-central. 2 types in stock, from €0.032 / h.',
      'eu-central. All allowed types are sold out now.',
    ]);
    expect(texts({ blocked: ['cpx22'] })[0]).toBe('eu-central. 1 type in stock, from €0.064 / h.');
    expect(texts({ prefix: 'ccx' })[0]).toBe('eu-central. None of the allowed types is sold here.');
  });

  it('also describe a chosen location or prefix that the provider does not have', () => {
    expect(toLocationCards(aProject(), rules, 'mars').at(-1)).toEqual({
      value: 'mars',
      label: 'mars',
      text: 'The provider has no such location.',
    });
    const cards = toFamilyCards(aProject(), { ...rules, prefix: 'cpx3' });
    expect(cards.map(({ value }) => value)).toEqual(['cpx', 'cpx3']);
    expect(cards[1]?.text).toContain('1 type, 8 GB, x86.');
    expect(toFamilyCards(aProject(), { ...rules, prefix: 'zz' }).at(-1)?.text).toBe(
      'No server type begins with this.',
    );
  });

  it('describe a family of server types by size, architecture and price', () => {
    const project = aProject({
      types: [
        aServerType('cx23', 4, { offers: [offer('hel1', 'available')] }),
        aServerType('cax11', 4, { architecture: 'arm', offers: [offer('nbg1', 'sold-out', 0.01)] }),
      ],
    });
    expect(toFamilyCards(project, { ...rules, prefix: 'cx' })).toEqual([
      { value: 'cax', label: 'cax', text: '1 type, 4 GB, arm. Sold out now, from €0.010 / h.' },
      { value: 'cx', label: 'cx', text: '1 type, 4 GB, x86. Not sold in the chosen locations.' },
    ]);
  });

  it('contain the price of a type in each location where it is available, in the configured order', () => {
    const types = [
      aServerType('cpx62', 32, { offers: [] }),
      aServerType('cpx22', 4, {
        offers: [offer('fsn1', 'available', 0.04), offer('nbg1', 'sold-out', 0.03)],
      }),
      aServerType('cpx11', 2, { offers: [offer('nbg1', 'ended')] }),
      aServerType('cpx12', 2, { offers: [offer('nbg1', 'available'), offer('fsn1', 'available')] }),
      aServerType('cx23', 4),
    ];
    const rows = toTypeRows(aProject({ types }), { ...rules, blocked: ['cpx12'] });
    expect(rows.map(({ name, allowed, stock }) => [name, allowed, stock.word])).toEqual([
      ['cpx11', true, 'Not sold here'],
      ['cpx12', false, 'In stock: nbg1, fsn1'],
      ['cpx22', true, 'In stock: fsn1'],
      ['cpx62', true, 'Not sold here'],
    ]);
    expect(rows[2]?.offer?.perHour).toBe(0.04);
    expect(rows[0]?.offer).toBeNull();
  });

  it('list the contents of the project', () => {
    const [, content] = projectWords(
      aProject({ servers: { ours: 1, otherNetworks: 2, others: 3 }, sshKeys: [] }),
    );
    expect(content).toBe(
      'Its project has 6 servers (1 of this network, 2 of other networks, 3 that Overworld did not order) and 0 SSH keys.',
    );
  });
});
