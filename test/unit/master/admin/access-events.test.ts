import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { AccessEvents, COUNTED_MS } from '#master/admin/access-events.ts';
import type { EntryContent } from '#shared/model/access/security-entry.ts';

const anna: AuthorizedKey = {
  name: 'anna',
  role: 'owner',
  templates: null,
  fingerprint: 'SHA256:anna',
  addedAt: 1,
};

function gather(): { access: AccessEvents; entries: EntryContent[] } {
  const entries: EntryContent[] = [];
  return { access: new AccessEvents({ add: (entry) => void entries.push(entry) }), entries };
}

describe('the security log', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  it('records logins and refused requests at once, with the key or the address', () => {
    const { access, entries } = gather();
    access.loggedIn(anna, '198.51.100.7');
    access.refused('203.0.113.9', 'no authorized key was offered');
    access.forbidden({ name: 'ben', role: 'viewer', templates: null }, 'keys.add');
    expect(entries).toEqual([
      {
        kind: 'login.accepted',
        actor: 'anna',
        message: 'anna logged in as owner',
        cause: 'SHA256:anna',
        address: '198.51.100.7',
      },
      {
        kind: 'login.refused',
        actor: 'unknown',
        message: 'A login was refused',
        cause: 'no authorized key was offered',
        address: '203.0.113.9',
      },
      {
        kind: 'request.refused',
        actor: 'ben',
        message: 'ben was refused keys.add',
        cause: 'the role is viewer',
      },
    ]);
  });

  it('contains the first of many equal refusals at once, and the number of others after an hour', () => {
    const { access, entries } = gather();
    for (let i = 0; i < 1_000; i++) access.refused('203.0.113.9', 'no key');
    expect(entries).toHaveLength(1);
    vi.advanceTimersByTime(COUNTED_MS);
    expect(entries[1]).toMatchObject({
      message: 'A login was refused, and 999 more times within an hour',
      count: 999,
      address: '203.0.113.9',
    });
    access.refused('203.0.113.9', 'no key');
    expect(entries).toHaveLength(3);
  });

  it('contains separate entries for logins from different networks, but one entry per IPv6 /64 network', () => {
    const { access, entries } = gather();
    for (const address of ['2001:db8:1:2::9', '2001:db8:1:2::10', '2001:db8:1:3::9'])
      access.loggedIn(anna, address);
    expect(entries.map(({ address }) => address)).toEqual(['2001:db8:1:2::9', '2001:db8:1:3::9']);
  });

  it('gets at most 130 entries an hour about unknown clients, however many addresses they use', () => {
    const { access, entries } = gather();
    for (let round = 0; round < 2; round++)
      for (let i = 0; i < 10_000; i++) access.refused(`10.1.${i >> 8}.${i & 255}`, 'no key');
    vi.advanceTimersByTime(COUNTED_MS);
    expect(entries).toHaveLength(130);
    const counted = entries.reduce((sum, { count }) => sum + (typeof count === 'number' ? count : 1), 0);
    // An entry without `count` is one event. An entry with `count` is that number of further events.
    expect(counted).toBe(20_000);
  });

  it('contains the login of a known person even while unknown clients fill it with refusals', () => {
    const { access, entries } = gather();
    for (let i = 0; i < 10_000; i++) access.refused(`10.1.${i >> 8}.${i & 255}`, 'no key');
    access.loggedIn(anna, '198.51.100.7');
    expect(entries.at(-1)).toMatchObject({ kind: 'login.accepted', actor: 'anna' });
  });

  it('gets the current number of repeated refusals when the master stops', () => {
    const { access, entries } = gather();
    for (let i = 0; i < 3; i++) access.refused('203.0.113.9', 'no key');
    access.flush();
    expect(entries.at(-1)).toMatchObject({ count: 2 });
    vi.advanceTimersByTime(COUNTED_MS);
    expect(entries).toHaveLength(2);
  });
});
