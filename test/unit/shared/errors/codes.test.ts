import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorExamples } from '../../../../build/scripts/docs/error-examples.ts';
import { errorCodes, type ErrorCode } from '#shared/errors/codes.ts';
import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire, toWire, wireErrorSchema } from '#shared/errors/wire.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

describe.each(codes)('%s', (code) => {
  const error = new OverworldError(code, errorExamples[code]);

  it('says in complete sentences what happened and what to do', () => {
    expect(error.message).not.toMatch(/undefined|null|NaN|\[object|\{|\}/);
    expect(error.message).toMatch(/^["A-Z/]/);
    expect(error.message).not.toMatch(/!|\.\.(?!")|\s{2}/);
    expect(error.message.length).toBeGreaterThan(25);
  });

  it('makes sense on a terminal and in the app', () => {
    expect(error.message).not.toMatch(
      /reload the list|list was read again|see Activity|button|click|dialog|screen/i,
    );
  });

  it('mentions each of its details', () => {
    const texts = Object.values(errorExamples[code]).filter((value) => typeof value === 'string');
    const silent = texts.filter((text) => !error.message.includes(text));
    // Details for programs only: the revisions of a conflict, the id of a plan, and the cause that selects the
    // advice of a failed start.
    const forPrograms = ['CONFIG_CONFLICT', 'PLAN_EXPIRED', 'SERVICE_START_TIMEOUT'];
    expect(forPrograms.includes(code) ? [] : silent).toEqual([]);
  });

  it('is unchanged after a transfer in wire form', () => {
    const back = fromWire(JSON.parse(JSON.stringify(toWire(error))));
    expect(back).toBeInstanceOf(OverworldError);
    expect({ code: back.code, details: back.details, message: back.message }).toEqual({
      code,
      details: errorExamples[code],
      message: error.message,
    });
    expect(back.category).toBe(errorCodes[code].category);
    expect(back.retry).toBe(errorCodes[code].retry);
    expect(hasCode(back, code)).toBe(true);
  });
});

/** Codes whose sentence needs details. */
const withDetails = codes.filter((code) => code !== 'PLAN_EXPIRED');

describe.each(withDetails)('%s without its details', (code) => {
  it("becomes INTERNAL with the sender's sentence", () => {
    const back = fromWire({ code, details: {}, message: 'The far side said so.' });
    expect(back.code).toBe('INTERNAL');
    expect(back.message).toContain('The far side said so.');
    expect(back.message).not.toContain('undefined');
  });
});

it('no error code is in two of the tables', async () => {
  const folder = new URL('../../../../shared/errors/codes/', import.meta.url);
  const tables = await Promise.all(
    (await readdir(folder)).map(
      (file) => import(new URL(file, folder).href) as Promise<Record<string, object>>,
    ),
  );
  const inTables = tables
    .flatMap((table) => Object.values(table))
    .flatMap((table: object) => Object.keys(table));
  expect([...inTables, 'INTERNAL'].toSorted()).toEqual(codes.toSorted());
});

describe('wire form of an error', () => {
  it('keeps the sentence of a newer master', () => {
    const back = fromWire({ code: 'FROM_THE_FUTURE', details: {}, message: 'The moon is full.' });
    expect(back.code).toBe('INTERNAL');
    expect(back.message).toContain('The moon is full.');
  });

  it('never makes fromWire throw, whatever arrives', () => {
    const shaped = fc.record({ code: fc.constantFrom(...codes), details: fc.object(), message: fc.string() });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), shaped), (wire) => {
        expect(fromWire(wire)).toBeInstanceOf(OverworldError);
      }),
    );
  });

  it('contains neither stack nor cause', () => {
    const error = new OverworldError('INTERNAL', { what: 'x' }, new Error('token abc'));
    expect(JSON.stringify(toWire(error))).not.toMatch(/token abc|stack|at /);
    expect(wireErrorSchema.safeParse(toWire(error)).success).toBe(true);
  });

  it('is INTERNAL for anything thrown, and unchanged for an OverworldError', () => {
    const own = new OverworldError('KEY_NOT_FOUND', { key: 'k' });
    expect(toOverworldError(own)).toBe(own);
    expect(toOverworldError(new Error('boom')).message).toContain('boom');
    expect(toOverworldError('boom').code).toBe('INTERNAL');
  });
});
