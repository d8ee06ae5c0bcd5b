import { describe, expect, it } from 'vitest';
import {
  activeId,
  remoteProfile,
  toConnections,
  withChanged,
  without,
  withNew,
  withServer,
} from '#main/connections/profiles.ts';
import type { Profile } from '#main/vault/settings.ts';

const berlin: Profile = {
  ...{ id: 'b', name: 'Berlin', host: 'berlin.example', port: 2022 },
  ...{ hostKey: 'SHA256:b', lastConnectedAt: 5, server: null },
};
const kept = {
  connections: [berlin],
  embedded: { hostKey: 'SHA256:e' as string | null, lastConnectedAt: null },
  connection: 'embedded',
};
const coded = (code: string) => expect.objectContaining({ code }) as Error;

describe('the stored connections of the app', () => {
  it('begin with the embedded master, and the active connection is marked', () => {
    const list = toConnections({ ...kept, connection: 'b' });
    expect(list.map(({ name, kind, active }) => [name, kind, active])).toEqual([
      ['This computer', 'embedded', false],
      ['Berlin', 'remote', true],
    ]);
  });

  it('have the embedded master as the active connection if the stored id is unknown', () =>
    expect(activeId({ ...kept, connection: 'gone' })).toBe('embedded'));

  it('are created without a trusted host key', () => {
    const draft = { name: 'Test', host: 'h', port: 1 };
    expect(withNew(kept, 't', draft)[1]).toEqual({
      ...{ id: 't', ...draft, hostKey: null, lastConnectedAt: null, server: null },
    });
  });

  it('lose the trusted host key when host or port change, but not when the name changes', () => {
    const changed = (draft: object) => withChanged(kept, 'b', { ...berlin, ...draft });
    expect(changed({ name: 'B' })).toMatchObject({ moved: false, connections: [{ hostKey: 'SHA256:b' }] });
    expect(changed({ port: 1 })).toMatchObject({ moved: true, connections: [{ hostKey: null, port: 1 }] });
    expect(changed({ host: 'x' })).toMatchObject({ moved: true, connections: [{ lastConnectedAt: null }] });
  });

  it('cannot be removed if they are active or belong to the embedded master', () => {
    expect(without(kept, 'b')).toEqual([]);
    expect(() => without({ ...kept, connection: 'b' }, 'b')).toThrow(coded('CONNECTION_IN_USE'));
    expect(() => without(kept, 'embedded')).toThrow(coded('CONNECTION_EMBEDDED'));
    expect(() => remoteProfile(kept, 'nobody')).toThrow(coded('CONNECTION_NOT_FOUND'));
  });

  it('lose the stored server login when the host changes, and never show the login to the window', () => {
    const server: Profile['server'] = {
      ...{ host: 'berlin.example', port: 22, user: 'root', login: { kind: 'agent' } },
      hostKey: { type: 'ssh-ed25519', fingerprint: 'SHA256:s' },
    };
    const connections = withServer(kept, 'b', server);
    expect(connections).toEqual([{ ...berlin, server }]);
    expect(toConnections({ ...kept, connections })[1]).not.toHaveProperty('server');
    const moveTo = (host: string) => withChanged({ connections }, 'b', { name: 'Berlin', host, port: 2022 });
    expect(moveTo('berlin.example').connections[0]?.server).toEqual(server);
    expect(moveTo('paris.example').connections[0]?.server).toBeNull();
  });

  it('are limited in number', () => {
    const many = { connections: Array.from({ length: 100 }, (_, n) => ({ ...berlin, id: String(n) })) };
    expect(() => withNew(many, 'x', berlin)).toThrow(coded('TOO_MANY'));
  });
});
