import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { replySchema } from '#shared/ipc/contract.ts';
import { answer } from '#main/ipc/answer.ts';
import type { Handlers } from '#main/ipc/handlers.ts';

/** Only what a test calls; calling another one is an error of the test. */
function handlers(some: Partial<Handlers>): Handlers {
  return some as Handlers;
}

async function ask(some: Partial<Handlers>, name: unknown, params: unknown) {
  const mistakes: unknown[] = [];
  const reply = replySchema.parse(
    await answer(handlers(some), { name, params }, (error) => mistakes.push(error)),
  );
  return { reply, mistakes };
}

describe('answering a request of the window', () => {
  it('wraps what the handler gives', async () => {
    const { reply } = await ask({ 'app.memory': () => ({ place: 'files' }) }, 'app.memory', {});
    expect(reply).toEqual({ ok: true, value: { place: 'files' } });
  });

  it('gives errors as data, with code and details', async () => {
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
    { what: 'a name that is none', name: 'app.evil', params: {}, code: 'METHOD_UNKNOWN' },
    { what: 'a name from the prototype', name: 'constructor', params: {}, code: 'METHOD_UNKNOWN' },
    { what: 'a name that is no text', name: { toString: 1 }, params: {}, code: 'METHOD_UNKNOWN' },
    {
      what: 'params of the wrong kind',
      name: 'app.setPreferences',
      params: { theme: 'pink' },
      code: 'PARAMS_INVALID',
    },
    { what: 'no params', name: 'app.setPreferences', params: undefined, code: 'PARAMS_INVALID' },
    { what: 'a relative path', name: 'files.list', params: { folder: 'templates' }, code: 'PARAMS_INVALID' },
    { what: 'unknown keys', name: 'app.preferences', params: { more: 1 }, code: 'PARAMS_INVALID' },
  ])('refuses $what', async ({ name, params, code }) => {
    const called = () => {
      throw new Error('must not be called');
    };
    const some = { 'app.setPreferences': called, 'files.list': called, 'app.preferences': called };
    expect((await ask(some, name, params)).reply).toMatchObject({ ok: false, error: { code } });
  });

  it('tells of our own mistakes apart, and lets no stack out', async () => {
    const broken = () => {
      throw new TypeError('x is undefined');
    };
    const { reply, mistakes } = await ask({ 'app.preferences': broken }, 'app.preferences', {});
    expect(reply).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect(JSON.stringify(reply)).not.toContain('at ');
    expect(mistakes).toHaveLength(1);
  });
});
