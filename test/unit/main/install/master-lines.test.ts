import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { LineReader } from '#main/install/server/line-reader.ts';
import { MasterLines } from '#main/install/steps/master-lines.ts';

describe('the JSON lines that a command of the master prints', () => {
  const resultSchema = z.object({ port: z.int() });

  it('are read as steps and a result, even between lines of other text', () => {
    const lines = new MasterLines(resultSchema);
    expect(lines.add('Reading package lists...')).toBeNull();
    expect(lines.add('{"step":"user","status":"done","detail":"Created."}')).toMatchObject({ step: 'user' });
    expect(lines.add('{"step":"data","status":"failed","detail":"The disk is full."}')).not.toBeNull();
    expect(lines.result).toBeNull();
    lines.add('{"port":2022,"more":true}');
    expect(lines.result).toEqual({ port: 2022 });
    expect([lines.has('user'), lines.has('data'), lines.has('key')]).toEqual([true, false, false]);
  });

  it('are ignored if they are invalid, and valid lines show invisible characters as visible text', () => {
    const lines = new MasterLines(resultSchema);
    for (const line of ['{', '{"step":1}', '{"step":"user","status":"perhaps","detail":""}', 'null']) {
      expect(lines.add(line)).toBeNull();
    }
    expect(lines.steps).toEqual([]);
    expect(lines.add('{"step":"key","status":"done","detail":"a\\u202eb"}')?.detail).toBe('a⟨202E⟩b');
  });
});

describe('the lines of a stream', () => {
  it('are the same for every division of the stream into chunks', () => {
    const text = 'one\r\ntwo ü\n\nthree';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const seen: string[] = [];
      const reader = new LineReader((line) => seen.push(line));
      for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size));
      reader.end();
      expect(seen).toEqual(['one', 'two ü', '', 'three']);
    }
  });
});
