import { describe, expect, it, vi } from 'vitest';
import {
  checkDocument,
  MAX_DOCUMENT_BYTES,
  MAX_PROBLEMS,
  problemSentence,
  readDocument,
} from '#shared/config/document.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { brokenMasters } from '#test/support/master/broken-documents/masters.ts';
import { brokenTemplates } from '#test/support/master/broken-documents/templates.ts';
import { brokenTexts } from '#test/support/master/broken-documents/texts.ts';

describe.each([
  { of: 'any document', schema: templateConfigSchema, cases: brokenTexts },
  { of: 'the template configuration', schema: templateConfigSchema, cases: brokenTemplates },
  { of: 'the master configuration', schema: masterConfigSchema, cases: brokenMasters },
])('a faulty text in $of', ({ schema, cases }) => {
  it.each(cases)('is rejected with the correct messages: %s', (_what, text, ...sentences) => {
    const reading = readDocument(schema, text);
    expect(reading.kind).toBe('faulty');
    expect(reading.kind === 'faulty' && reading.problems.map(problemSentence)).toEqual(sentences);
  });
});

describe('a document with several mistakes', () => {
  it('is reported to break a rule about two fields, even if a third field is invalid', () => {
    const reading = checkDocument(templateConfigSchema, { minJvmMemory: 4096, priority: 'x' });
    expect(reading.kind === 'faulty' && reading.problems.map(({ field }) => field)).toEqual([
      'priority',
      'minJvmMemory',
    ]);
  });

  it('is reported to have an empty path rather than an invalid path', () => {
    const reading = checkDocument(templateConfigSchema, {
      defaultServiceFiles: [{ path: '', destination: 'b' }],
    });
    expect(reading.kind === 'faulty' && reading.problems.map(({ problem }) => problem)).toEqual(['is empty']);
  });
});

describe('the limits for a document', () => {
  it('reject a text of 100 MB without parsing it', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const reading = readDocument(templateConfigSchema, `{"name": "${'x'.repeat(100_000_000)}"}`);
    expect(reading.kind === 'faulty' && reading.problems.map(problemSentence)).toEqual([
      `The document has 100000012 bytes; the maximum is ${MAX_DOCUMENT_BYTES}.`,
    ]);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('limit the number of listed problems, and the others are only counted', () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key${i}`, i]));
    const reading = checkDocument(templateConfigSchema, many);
    if (reading.kind === 'ok') throw new Error('60,000 unknown keys were accepted');
    expect(reading.problems).toHaveLength(MAX_PROBLEMS + 1);
    expect(reading.problems.at(-1)?.problem).toBe('has 59950 more problems, which are not listed');
  });

  it('shorten a key of one megabyte in the error message', () => {
    const reading = checkDocument(templateConfigSchema, { ['k'.repeat(1_000_000)]: 1 });
    expect(reading.kind === 'faulty' && reading.problems[0]?.field).toHaveLength(82);
    expect(reading.kind === 'faulty' && reading.problems[0]?.problem).toBe('is not a known key');
  });

  it('reject a deeply nested value before it exhausts the stack', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 1_000_000; i += 1) deep = [deep];
    const reading = checkDocument(templateConfigSchema, { name: deep });
    expect(reading.kind === 'faulty' && reading.problems.map(problemSentence)).toEqual([
      'The document is nested more than 64 levels deep.',
    ]);
  });
});
