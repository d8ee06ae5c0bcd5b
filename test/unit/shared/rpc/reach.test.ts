import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKinds } from '#shared/model/event.ts';
import { canBeLimited, roles, type Role } from '#shared/model/access/role.ts';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import { missingForCall, missingForMethod, reachOf, showsEvent } from '#shared/rpc/reach.ts';
import { exampleParams } from '#test/support/master/example-params.ts';
import { runs } from '#test/support/fuzz/runs.ts';

const names = Object.keys(methods) as MethodName[];

/** Parses the example parameters about a template, as the master does before it decides whether to allow a call. */
function parsed(method: MethodName, template: string): never {
  return methods[method].params.parse(exampleParams[method]({ template })) as never;
}

const limitable = roles.filter(canBeLimited);
const character = fc.constantFrom('a', 'b', '1', '-');
const template = fc.stringMatching(/^[ab1][ab1-]{0,5}$/);
const limit = fc.array(fc.string({ unit: fc.oneof(character, fc.constantFrom('*', '?')), minLength: 1 }), {
  minLength: 1,
  maxLength: 4,
});
const numRuns = runs({ change: 500, night: 50_000 });

describe('the rights of a key with a template limit', () => {
  it('are never more than the rights of the same role without a limit', () => {
    const call = fc.record({
      method: fc.constantFrom(...names),
      template,
      role: fc.constantFrom(...limitable),
      limit,
    });
    fc.assert(
      fc.property(call, ({ method, template: id, role, limit: templates }) => {
        const params = parsed(method, id);
        const limited = missingForCall({ role, templates }, method, params) === null;
        const unlimited = missingForCall({ role, templates: null }, method, params) === null;
        expect(limited && !unlimited).toBe(false);
      }),
      { numRuns },
    );
  });

  it('are never fewer after templates were added to the limit', () => {
    const call = fc.record({ method: fc.constantFrom(...names), template, limit, more: limit });
    fc.assert(
      fc.property(call, ({ method, template: id, limit: templates, more }) => {
        const params = parsed(method, id);
        const may = (masks: readonly string[]): boolean =>
          missingForCall({ role: 'operator', templates: masks }, method, params) === null;
        expect(may(templates) && !may([...templates, ...more])).toBe(false);
      }),
      { numRuns },
    );
  });

  it('do not depend on parameters if the method is about the network or open to all keys', () => {
    for (const method of names) {
      const missing = missingForMethod({ role: 'operator', templates: ['lobby'] }, method);
      if (reachOf[method] === 'network') expect(missing).not.toBeNull();
      else expect(missing === null || methods[method].role === 'owner', method).toBe(true);
    }
  });

  it('never include a change of the network, for any limit', () => {
    for (const method of names.filter((name) => reachOf[name] === 'network'))
      for (const mask of ['*', 'lobby'])
        expect(
          missingForCall({ role: 'operator', templates: [mask] }, method, parsed(method, 'lobby')),
        ).not.toBeNull();
  });

  it('include every call about a template if the limit is "*"', () => {
    for (const method of names.filter((name) => typeof reachOf[name] === 'function'))
      expect(
        missingForCall({ role: 'operator', templates: ['*'] }, method, parsed(method, 'arena')),
      ).toBeNull();
  });
});

describe('the rights of a limited key for calls about several templates', () => {
  const key = { role: 'operator' as Role, templates: ['lobby', 'bedwars*'] };

  it.each([
    ['lobby', 'bedwars-2', null],
    ['lobby', 'arena', 'a key for the template arena, and yours is only for lobby, bedwars*'],
    ['arena', 'lobby', 'a key for the template arena, and yours is only for lobby, bedwars*'],
  ])('are checked for a duplicate of the template %s with the id %s (missing: %s)', (from, to, want) => {
    expect(missingForCall(key, 'templates.duplicate', { from, to, files: true })).toBe(want);
  });

  it.each([
    [['/templates/lobby/a', '/templates/bedwars-2/b'], '/templates/lobby', true],
    [['/templates/arena/a'], '/templates/lobby', false],
    [['/templates/lobby/../arena/a'], '/templates/lobby', false],
    [['/templates/lobby/a'], '/templates/arena', false],
    [['/files/a'], '/templates/lobby', false],
    [['/templates/lobby/a'], '/files', false],
  ])('allow a copy of %j to %s: %s', (paths, folder, want) => {
    const task = '4f5d1a52-8b8a-4a54-9d0f-0c3ac2e1c001';
    const missing = missingForCall(key, 'files.copy', { paths, folder, onConflict: 'refuse', task });
    expect(missing === null).toBe(want);
  });

  it('distinguish services of templates with similar names', () => {
    const may = (id: string): boolean =>
      missingForCall({ role: 'operator', templates: ['lobby'] }, 'services.stop', { id, kill: false }) ===
      null;
    expect(may('lobby-1')).toBe(true);
    expect(may('lobby-1-1')).toBe(false);
    expect(may('lobby-2-1')).toBe(false);
  });
});

describe('the events that a key with a template limit receives', () => {
  it('contain neither commands nor file names of other templates', () => {
    const hidden = (template: string | null): readonly string[] =>
      eventKinds.filter((kind) => !showsEvent(['lobby'], { kind, template }));
    const files = ['files.written', 'files.deleted', 'files.renamed', 'files.copied'];
    // These events name files that are not in the backup or in the save.
    const failures = ['backup.done', 'backup.failed', 'volume.failed'];
    const quoting = ['service.command', ...files, ...failures];
    expect(hidden('lobby')).toEqual([]);
    expect(hidden('arena').toSorted()).toEqual(quoting.toSorted());
    expect(hidden(null).toSorted()).toEqual(quoting.toSorted());
    expect(eventKinds.every((kind) => showsEvent(null, { kind, template: 'arena' }))).toBe(true);
  });
});
