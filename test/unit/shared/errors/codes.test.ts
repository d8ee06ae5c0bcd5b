import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorExamples } from '../../../../build/scripts/docs/error-examples.ts';
import { errorCodes, type ErrorCode } from '#shared/errors/codes.ts';
import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire, toWire, wireErrorSchema } from '#shared/errors/wire.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

describe.each(codes)('an error with the code %s', (code) => {
  const error = new OverworldError(code, errorExamples[code]);

  it('has a message that is a sentence without placeholders such as "undefined"', () => {
    expect(error.message).not.toMatch(/undefined|null|NaN|\[object|\{|\}/);
    expect(error.message).toMatch(/^["A-Z/]/);
    expect(error.message).not.toMatch(/!|\.\.(?!")|\s{2}/);
    expect(error.message.length).toBeGreaterThan(25);
  });

  it('has a message that mentions no button, dialog or screen of the app', () => {
    expect(error.message).not.toMatch(
      /reload the list|list was read again|see Activity|button|click|dialog|screen/i,
    );
  });

  it('has a message that contains each of its details', () => {
    const texts = Object.values(errorExamples[code]).filter((value) => typeof value === 'string');
    const silent = texts.filter((text) => !error.message.includes(text));
    // Exclude details that only programs use: the revisions of a conflict, the id of a plan, and the cause that
    // selects the advice for a failed start.
    const forPrograms = ['CONFIG_CONFLICT', 'PLAN_EXPIRED', 'SERVICE_START_TIMEOUT'];
    expect(forPrograms.includes(code) ? [] : silent).toEqual([]);
  });

  it('is the same after it was converted to JSON and back', () => {
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

/** Codes whose message needs details. */
const withDetails = codes.filter((code) => code !== 'PLAN_EXPIRED');

describe.each(withDetails)('an error with the code %s, received without details,', (code) => {
  it('keeps the message of the sender', () => {
    const back = fromWire({ code, details: {}, message: 'The far side said so.' });
    expect(back.code).toBe('ERROR_OF_OTHER_VERSION');
    expect(back.message).toBe(`The far side said so. (${code})`);
    expect(back.message).not.toContain('undefined');
  });
});

it('each error code is defined only once', async () => {
  const folder = new URL('../../../../shared/errors/codes/', import.meta.url);
  const tables = await Promise.all(
    (await readdir(folder)).map(
      (file) => import(new URL(file, folder).href) as Promise<Record<string, object>>,
    ),
  );
  const inTables = tables
    .flatMap((table) => Object.values(table))
    .flatMap((table: object) => Object.keys(table));
  expect([...inTables, 'ERROR_OF_OTHER_VERSION', 'INTERNAL'].toSorted()).toEqual(codes.toSorted());
});

describe('an error in JSON', () => {
  it('has the message of the sender even if its code is unknown', () => {
    const back = fromWire({ code: 'FROM_THE_FUTURE', details: {}, message: 'The moon is full.' });
    expect(back.code).toBe('ERROR_OF_OTHER_VERSION');
    expect(back.message).toBe('The moon is full. (FROM_THE_FUTURE)');
    expect(fromWire(JSON.parse(JSON.stringify(toWire(back))))).toMatchObject({
      code: back.code,
      message: back.message,
    });
  });

  it('is read by fromWire without an exception, for any input', () => {
    const shaped = fc.record({ code: fc.constantFrom(...codes), details: fc.object(), message: fc.string() });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), shaped), (wire) => {
        expect(fromWire(wire)).toBeInstanceOf(OverworldError);
      }),
    );
  });

  it('contains neither the stack nor the cause', () => {
    const error = new OverworldError('INTERNAL', { what: 'x' }, new Error('token abc'));
    expect(JSON.stringify(toWire(error))).not.toMatch(/token abc|stack|at /);
    expect(wireErrorSchema.safeParse(toWire(error)).success).toBe(true);
  });

  it('has the code INTERNAL if something other than an OverworldError was thrown', () => {
    const own = new OverworldError('KEY_NOT_FOUND', { key: 'k' });
    expect(toOverworldError(own)).toBe(own);
    expect(toOverworldError(new Error('boom')).message).toContain('boom');
    expect(toOverworldError('boom').code).toBe('INTERNAL');
  });
});
