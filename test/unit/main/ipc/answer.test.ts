import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { replySchema } from '#shared/ipc/contract.ts';
import { answer } from '#main/ipc/answer.ts';
import type { Handlers } from '#main/ipc/handlers.ts';

/** Returns the handlers that a test needs. The test fails if another handler is called. */
function handlers(some: Partial<Handlers>): Handlers {
  return some as Handlers;
}

/**
 * Sends a request while the third selection of a master is current.
 *
 * @param choice number of the selection for which the page was loaded
 */
async function ask(some: Partial<Handlers>, name: unknown, ...[params, choice = 3]: [unknown, unknown?]) {
  const mistakes: unknown[] = [];
  const onInternal = (error: unknown) => mistakes.push(error);
  const reply = replySchema.parse(
    await answer(handlers(some), { name, params, choice }, { choice: 3, onInternal }),
  );
  return { reply, mistakes };
}

describe('the answer to a request of the window', () => {
  it('contains the result of the handler', async () => {
    const { reply } = await ask({ 'app.memory': () => ({ place: 'files' }) }, 'app.memory', {});
    expect(reply).toEqual({ ok: true, value: { place: 'files' } });
  });

  it('contains the code and the details of an error', async () => {
    const refuse = () => {
      throw new OverworldError('FILE_EXISTS', { path: '/files/a' });
    };
    const { reply, mistakes } = await ask({ 'files.makeFolder': refuse }, 'files.makeFolder', {
      path: '/files/a',
    });
    expect(reply).toMatchObject({ ok: false, error: { code: 'FILE_EXISTS', details: { path: '/files/a' } } });
    expect(mistakes).toEqual([]);
  });

  it.each([
    { what: 'an unknown method name', name: 'app.evil', params: {}, code: 'METHOD_UNKNOWN' },
    {
      what: 'a method name from the object prototype',
      name: 'constructor',
      params: {},
      code: 'METHOD_UNKNOWN',
    },
    { what: 'a method name that is not a string', name: { toString: 1 }, params: {}, code: 'METHOD_UNKNOWN' },
    {
      what: 'invalid parameters',
      name: 'app.setPreferences',
      params: { theme: 'pink' },
      code: 'PARAMS_INVALID',
    },
    { what: 'missing parameters', name: 'app.setPreferences', params: undefined, code: 'PARAMS_INVALID' },
    {
      what: 'a relative path as parameter',
      name: 'files.list',
      params: { folder: 'templates' },
      code: 'PARAMS_INVALID',
    },
    { what: 'unknown parameters', name: 'app.preferences', params: { more: 1 }, code: 'PARAMS_INVALID' },
  ])('is an error for $what', async ({ name, params, code }) => {
    const called = () => {
      throw new Error('must not be called');
    };
    const some = { 'app.setPreferences': called, 'files.list': called, 'app.preferences': called };
    expect((await ask(some, name, params)).reply).toMatchObject({ ok: false, error: { code } });
  });

  it('contains no stack trace of an unexpected error, but the log does', async () => {
    const broken = () => {
      throw new TypeError('x is undefined');
    };
    const { reply, mistakes } = await ask({ 'app.preferences': broken }, 'app.preferences', {});
    expect(reply).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect(JSON.stringify(reply)).not.toContain('at ');
    expect(mistakes).toHaveLength(1);
  });

  it.each([
    { name: 'rpc.call', params: { method: 'templates.delete', params: {} } },
    { name: 'files.delete', params: { paths: ['/templates/lobby/world'] } },
    { name: 'files.save', params: { path: '/files/a', text: '', version: null } },
    { name: 'sync.start', params: { comparison: 'c', to: 'remote', paths: ['a'], deletes: true } },
    { name: 'transfers.start', params: { plan: 'p', onConflict: 'overwrite' } },
    { name: 'logs.save', params: { service: 'lobby-1' } },
  ] as const)(
    'is an error if the page was loaded for another master and requests $name',
    async ({ name, params }) => {
      const called: unknown[] = [];
      const some = { [name]: (given: unknown) => called.push(given) };
      for (const choice of [2, 4, null, '3']) {
        expect((await ask(some, name, params, choice)).reply).toMatchObject({
          ok: false,
          error: { code: 'MASTER_SWITCHED', details: { request: name } },
        });
      }
      expect(called).toEqual([]);
      expect((await ask(some, name, params)).reply).toMatchObject({ ok: true });
    },
  );

  it('contains a result if the request is about the app, even for a page that was loaded for another master', async () => {
    const remembered: unknown[] = [];
    const some: Partial<Handlers> = {
      'app.unsaved': ({ names }) => {
        remembered.push(names);
        return {};
      },
      'transfers.pause': ({ id }) => {
        remembered.push(id);
        return {};
      },
    };
    await ask(some, 'app.unsaved', { names: ['template lobby'] }, 2);
    await ask(some, 'transfers.pause', { id: 't-1' }, 2);
    expect(remembered).toEqual([['template lobby'], 't-1']);
  });
});
