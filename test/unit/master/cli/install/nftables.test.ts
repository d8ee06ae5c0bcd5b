import { describe, expect, it } from 'vitest';
import { definesChain, insertRule, withOpenPorts } from '#master/cli/install/nft-file.ts';
import { closedPorts, findBlockingChains, managerOf } from '#master/cli/install/nft-ruleset.ts';

const input = { family: 'inet', table: 'filter', name: 'input', handle: 1 };
const base = { ...input, type: 'filter', hook: 'input', prio: 0 };
const dport = (right: unknown) => ({
  match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right },
});
const state = { match: { op: 'in', left: { ct: { key: 'state' } }, right: ['new', 'established'] } };
const from = {
  match: { op: '==', left: { payload: { protocol: 'ip', field: 'saddr' } }, right: '203.0.113.7' },
};

function ruleset(chain: object, rules: readonly (readonly object[])[] = []): string {
  const entries = rules.map((expr, i) => ({
    rule: { family: 'inet', table: 'filter', chain: 'input', handle: i + 2, expr },
  }));
  const table = { table: { family: 'inet', name: 'filter', handle: 1 } };
  return JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, table, { chain }, ...entries] });
}

const names = (text: string): string[] => findBlockingChains(text).map(({ name }) => name);

describe('findBlockingChains (nftables chains that block connections)', () => {
  it.each([
    { why: 'its policy is drop', chain: { ...base, policy: 'drop' }, rules: [], blocks: true },
    { why: 'its policy is accept', chain: { ...base, policy: 'accept' }, rules: [], blocks: false },
    {
      why: 'it rejects all connections that no rule has accepted',
      chain: { ...base, policy: 'accept' },
      rules: [
        [dport(22), { accept: null }],
        [{ counter: { packets: 1, bytes: 2 } }, { reject: null }],
      ],
      blocks: true,
    },
    {
      why: 'it rejects only one address, as fail2ban does',
      chain: { ...base, policy: 'accept' },
      rules: [[dport(22), from, { reject: null }]],
      blocks: false,
    },
    {
      why: 'it belongs to another hook',
      chain: { ...base, hook: 'forward', policy: 'drop' },
      rules: [],
      blocks: false,
    },
    { why: 'it is not a base chain', chain: input, rules: [[{ drop: null }]], blocks: false },
  ])('returns $blocks for a chain if $why', ({ chain, rules, blocks }) => {
    expect(names(ruleset(chain, rules))).toEqual(blocks ? ['input'] : []);
  });

  it('returns no chain for an empty ruleset', () => {
    expect(findBlockingChains('{"nftables": [{"metainfo": {"version": "1.0.6"}}]}')).toEqual([]);
  });
});

describe('the check whether an nftables rule opens port 2022 to all clients', () => {
  it.each([
    { why: 'it accepts port 2022', rule: [dport(2022), { accept: null }], opens: true },
    {
      why: 'it accepts a set of ports that contains port 2022',
      rule: [state, dport({ set: [22, 2022] }), { accept: null }],
      opens: true,
    },
    {
      why: 'it accepts a range of ports that contains port 2022',
      rule: [dport({ range: [2000, 2100] }), { accept: null }],
      opens: true,
    },
    {
      why: 'it accepts a set of ranges that contains port 2022',
      rule: [dport({ set: [{ range: [2000, 2100] }] }), { accept: null }],
      opens: true,
    },
    { why: 'it accepts another port', rule: [dport(22), { accept: null }], opens: false },
    {
      why: 'it accepts port 2022 only from one address',
      rule: [from, dport(2022), { accept: null }],
      opens: false,
    },
    { why: 'it drops port 2022', rule: [dport(2022), { drop: null }], opens: false },
    { why: 'it accepts only known connections', rule: [state, { accept: null }], opens: false },
  ])('returns $opens if $why', ({ rule, opens }) => {
    const [chain] = findBlockingChains(ruleset({ ...base, policy: 'drop' }, [rule]));
    expect(chain).toBeDefined();
    expect(closedPorts(chain ?? { rules: [] }, [2022])).toEqual(opens ? [] : [2022]);
  });
});

it('managerOf finds out whether firewalld or iptables owns a chain', () => {
  expect(managerOf({ family: 'inet', table: 'firewalld', name: 'filter_INPUT' })).toBe('firewalld');
  expect(managerOf({ family: 'ip', table: 'filter', name: 'INPUT' })).toBe('iptables');
  expect(managerOf(input)).toBeNull();
});

describe('/etc/nftables.conf', () => {
  const DEBIAN = `#!/usr/sbin/nft -f

flush ruleset

table inet filter {
	chain input {
		type filter hook input priority filter; policy drop;
	}
}
`;

  it('contains each opened port once, and all opened ports in a single block', () => {
    const text = withOpenPorts(DEBIAN, input, [2022, 1510]);
    expect(text).toBe(`${DEBIAN}
# BEGIN OVERWORLD (overworld-master install)
table inet filter { chain input { }; }
insert rule inet filter input tcp dport 2022 accept comment "overworld"
insert rule inet filter input tcp dport 1510 accept comment "overworld"
# END OVERWORLD
`);
    expect(withOpenPorts(text, input, [1510])).toBe(text);
    const more = withOpenPorts(`${text}# own\n`, input, [25565]);
    expect(more).toMatch(/dport 1510 .*\ninsert .* 25565 .*\n# END OVERWORLD\n# own\n$/);
    expect(more.match(/BEGIN OVERWORLD/g)).toHaveLength(1);
  });

  it.each([
    { text: DEBIAN, chain: input, defines: true },
    { text: DEBIAN, chain: { ...input, name: 'inputs' }, defines: false },
    { text: DEBIAN, chain: { ...input, family: 'ip' }, defines: false },
    { text: DEBIAN.replace('inet filter', 'filter'), chain: { ...input, family: 'ip' }, defines: true },
    { text: 'include "/etc/nftables.d/*.nft"\n', chain: input, defines: false },
  ])('defines the chain $chain.family $chain.table $chain.name: $defines', ({ text, chain, defines }) => {
    expect(definesChain(text, chain)).toBe(defines);
  });

  it('contains the same rule as the running ruleset', () => {
    expect(insertRule(input, 2022).join(' ')).toBe(
      'insert rule inet filter input tcp dport 2022 accept comment "overworld"',
    );
  });
});
