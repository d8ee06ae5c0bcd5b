import { describe, expect, it } from 'vitest';
import {
  activeId,
  remoteProfile,
  toConnections,
  withChanged,
  without,
  withNew,
} from '#main/connections/profiles.ts';
import type { Profile } from '#main/vault/settings.ts';

const berlin: Profile = {
  ...{ id: 'b', name: 'Berlin', host: 'berlin.example', port: 2022 },
  ...{ hostKey: 'SHA256:b', lastConnectedAt: 5 },
};
const kept = {
  connections: [berlin],
  embedded: { hostKey: 'SHA256:e' as string | null, lastConnectedAt: null },
  connection: 'embedded',
};
const coded = (code: string) => expect.objectContaining({ code }) as Error;

describe('profiles of masters', () => {
  it('are listed with the embedded one first, and say which is in use', () => {
    const list = toConnections({ ...kept, connection: 'b' });
    expect(list.map(({ name, kind, active }) => [name, kind, active])).toEqual([
      ['This computer', 'embedded', false],
      ['Berlin', 'remote', true],
    ]);
  });

  it('fall back to the embedded one where the kept id means nothing', () =>
    expect(activeId({ ...kept, connection: 'gone' })).toBe('embedded'));

  it('begin without a trusted key', () => {
    const draft = { name: 'Test', host: 'h', port: 1 };
    expect(withNew(kept, 't', draft)[1]).toEqual({ id: 't', ...draft, hostKey: null, lastConnectedAt: null });
  });

  it('forget the key when they move to another host or port, and keep it under another name', () => {
    const changed = (draft: object) => withChanged(kept, 'b', { ...berlin, ...draft });
    expect(changed({ name: 'B' })).toMatchObject({ moved: false, connections: [{ hostKey: 'SHA256:b' }] });
    expect(changed({ port: 1 })).toMatchObject({ moved: true, connections: [{ hostKey: null, port: 1 }] });
    expect(changed({ host: 'x' })).toMatchObject({ moved: true, connections: [{ lastConnectedAt: null }] });
  });

  it('refuse to be removed while in use, and the embedded one always', () => {
    expect(without(kept, 'b')).toEqual([]);
    expect(() => without({ ...kept, connection: 'b' }, 'b')).toThrow(coded('CONNECTION_IN_USE'));
    expect(() => without(kept, 'embedded')).toThrow(coded('CONNECTION_EMBEDDED'));
    expect(() => remoteProfile(kept, 'nobody')).toThrow(coded('CONNECTION_NOT_FOUND'));
  });

  it('are bounded in number', () => {
    const many = { connections: Array.from({ length: 100 }, (_, n) => ({ ...berlin, id: String(n) })) };
    expect(() => withNew(many, 'x', berlin)).toThrow(coded('TOO_MANY'));
  });
});
