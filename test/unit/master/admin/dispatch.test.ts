import { describe, expect, it } from 'vitest';
import type { Role } from '#shared/model/access/role.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { dispatch } from '#master/admin/rpc/dispatch.ts';
import type { Caller, Handlers } from '#master/admin/api.ts';

const caller = (role: Role, templates: TemplateLimit = null): Caller => ({
  name: 'test',
  role,
  templates,
  notify: () => undefined,
  onClose: () => undefined,
});

/** Handlers that return their parameters. Contains only the methods that the tests call. */
const handlers = {
  'keys.list': () => [],
  'services.stop': (params: unknown) => params,
  'services.list': (params: unknown) => params,
} as unknown as Handlers;

describe('dispatch (calls a method of the JSON-RPC API)', () => {
  const cases: {
    readonly name: string;
    readonly method: string;
    readonly params?: unknown;
    readonly role: Role;
    readonly want: object;
  }[] = [
    { name: 'an unknown method', method: 'keys.steal', role: 'owner', want: { code: 'METHOD_UNKNOWN' } },
    {
      name: 'a method name that is a property of every object',
      method: 'constructor',
      role: 'owner',
      want: { code: 'METHOD_UNKNOWN' },
    },
    {
      name: 'the method name "__proto__"',
      method: '__proto__',
      role: 'owner',
      want: { code: 'METHOD_UNKNOWN' },
    },
    {
      name: 'an operator who calls a method for owners',
      method: 'keys.list',
      role: 'operator',
      want: { code: 'FORBIDDEN', details: { method: 'keys.list', role: 'operator', needs: 'owner' } },
    },
    {
      name: 'a person with the role "files" who calls a method for viewers',
      method: 'services.list',
      role: 'files',
      want: { code: 'FORBIDDEN' },
    },
    {
      name: 'a call with an insufficient role before it checks the parameters',
      method: 'services.stop',
      params: { wrong: true },
      role: 'viewer',
      want: { code: 'FORBIDDEN' },
    },
    {
      name: 'an unknown parameter',
      method: 'services.list',
      params: { since: 1, sinse: 2 },
      role: 'viewer',
      want: { code: 'PARAMS_INVALID', details: { why: expect.stringContaining('sinse') as unknown } },
    },
    {
      name: 'a parameter of a wrong type, and names the field',
      method: 'services.list',
      params: { since: 'yesterday' },
      role: 'viewer',
      want: {
        code: 'PARAMS_INVALID',
        details: { why: expect.stringMatching(/^since: .*number/) as unknown },
      },
    },
    {
      name: 'positional parameters',
      method: 'services.list',
      params: [1],
      role: 'viewer',
      want: { code: 'PARAMS_INVALID' },
    },
  ];
  it.each(cases)('rejects $name', async ({ method, params, role, want }) => {
    await expect(dispatch({ method, params }, caller(role), handlers)).rejects.toMatchObject(want);
  });

  it('passes the parsed parameters to the handler', async () => {
    await expect(
      dispatch({ method: 'services.list', params: undefined }, caller('viewer'), handlers),
    ).resolves.toEqual({});
    await expect(
      dispatch({ method: 'services.list', params: { since: 4 } }, caller('operator'), handlers),
    ).resolves.toEqual({ since: 4 });
  });
});
