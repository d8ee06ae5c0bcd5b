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
])('faulty text of $of', ({ schema, cases }) => {
  it.each(cases)('is rejected with the expected messages: %s', (_what, text, ...sentences) => {
    const reading = readDocument(schema, text);
    expect(reading.kind).toBe('faulty');
    expect(reading.kind === 'faulty' && reading.problems.map(problemSentence)).toEqual(sentences);
  });
});

describe('document with several mistakes', () => {
  it('reports a broken rule about two fields even if a third field is invalid', () => {
    const reading = checkDocument(templateConfigSchema, { minJvmMemory: 4096, priority: 'x' });
    expect(reading.kind === 'faulty' && reading.problems.map(({ field }) => field)).toEqual([
      'priority',
      'minJvmMemory',
    ]);
  });

  it('reports an empty path as empty rather than as invalid', () => {
    const reading = checkDocument(templateConfigSchema, {
      defaultServiceFiles: [{ path: '', destination: 'b' }],
    });
    expect(reading.kind === 'faulty' && reading.problems.map(({ problem }) => problem)).toEqual(['is empty']);
  });
});

describe('limits of a document', () => {
  it('reject 100 MB without parsing them', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const reading = readDocument(templateConfigSchema, `{"name": "${'x'.repeat(100_000_000)}"}`);
    expect(reading.kind === 'faulty' && reading.problems.map(problemSentence)).toEqual([
      `The document has 100000012 bytes; the maximum is ${MAX_DOCUMENT_BYTES}.`,
    ]);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('restrict the number of listed problems, and count the others', () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key${i}`, i]));
    const reading = checkDocument(templateConfigSchema, many);
    if (reading.kind === 'ok') throw new Error('60,000 unknown keys were accepted');
    expect(reading.problems).toHaveLength(MAX_PROBLEMS + 1);
    expect(reading.problems.at(-1)?.problem).toBe('has 59950 more problems, which are not listed');
  });

  it('shorten the name of a key in the error if the key has one megabyte', () => {
    const reading = checkDocument(templateConfigSchema, { ['k'.repeat(1_000_000)]: 1 });
    expect(reading.kind === 'faulty' && reading.problems[0]?.field).toHaveLength(82);
    expect(reading.kind === 'faulty' && reading.problems[0]?.problem).toBe('is not a known key');
  });

  it('reject a deeply nested value instead of exhausting the stack', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 1_000_000; i += 1) deep = [deep];
    const reading = checkDocument(templateConfigSchema, { name: deep });
    expect(reading.kind === 'faulty' && reading.problems.map(problemSentence)).toEqual([
      'The document is nested more than 64 levels deep.',
    ]);
  });
});
