import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY,
  lineOf,
  sealEntry,
  verifyChain,
  type ChainFile,
  type Head,
} from '#master/store/security-log/chain.ts';
import type { EntryContent, SecurityEntry } from '#shared/model/access/security-entry.ts';

const contents = fc.record({
  kind: fc.constantFrom('key.added', 'login.refused', 'config.changed'),
  actor: fc.string({ unit: 'grapheme' }),
  message: fc.string({ unit: 'grapheme' }),
  cause: fc.string({ unit: 'grapheme' }),
});

function chainOf(all: readonly EntryContent[], from: Head = EMPTY): SecurityEntry[] {
  let head = from;
  return all.map((content, i) => {
    const entry = sealEntry(head, 1_000 + i, content);
    head = entry;
    return entry;
  });
}

const linesOf = (entries: readonly SecurityEntry[]): string[] => entries.map(lineOf);
const fileOf = (lines: readonly string[], name = '1.jsonl'): ChainFile => ({
  name,
  text: lines.map((line) => `${line}\n`).join(''),
});

/** A chain of entries, and the index of one of the entries. */
const chains = fc
  .array(contents, { minLength: 3, maxLength: 12 })
  .chain((all) =>
    fc.record({ lines: fc.constant(linesOf(chainOf(all))), at: fc.nat({ max: all.length - 2 }) }),
  );

describe('the hash chain of the security log', () => {
  it('is intact for every distribution of the entries among files', () => {
    fc.assert(
      fc.property(chains, ({ lines, at }) => {
        const report = verifyChain([fileOf(lines.slice(0, at), 'a'), fileOf(lines.slice(at), 'b')]);
        expect(report).toMatchObject({ breaks: [], torn: null });
        expect(linesOf(report.entries)).toEqual(lines);
      }),
    );
  });

  it('reveals the change of any single character', () => {
    fc.assert(
      fc.property(
        chains,
        fc.nat(),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        (chain, where, char) => {
          const line = chain.lines[chain.at] ?? '';
          const i = where % line.length;
          const changed = line.slice(0, i) + char + line.slice(i + 1);
          fc.pre(changed !== line);
          expect(verifyChain([fileOf(chain.lines.with(chain.at, changed))]).breaks).not.toEqual([]);
        },
      ),
    );
  });

  it('reveals a replaced entry, even if its hash is correct', () => {
    fc.assert(
      fc.property(chains, contents, ({ lines, at }, content) => {
        const entries = verifyChain([fileOf(lines)]).entries;
        const forged = sealEntry(entries[at - 1] ?? EMPTY, 1_000 + at, { ...content, forged: true });
        const { breaks } = verifyChain([fileOf(lines.with(at, lineOf(forged)))]);
        expect(breaks).toEqual([
          {
            file: '1.jsonl',
            line: at + 2,
            seq: at + 2,
            why: expect.stringContaining('does not follow') as string,
          },
        ]);
      }),
    );
  });

  it('reveals removed entries except at the end', () => {
    fc.assert(
      fc.property(chains, fc.nat({ max: 5 }), ({ lines, at }, more) => {
        const count = Math.min(1 + more, lines.length - 1 - at);
        expect(verifyChain([fileOf(lines.toSpliced(at, count))]).breaks).not.toEqual([]);
      }),
    );
  });

  it('reveals entries that were swapped or inserted twice', () => {
    fc.assert(
      fc.property(chains, fc.nat(), ({ lines, at }, other) => {
        const to = other % lines.length;
        fc.pre(to !== at);
        const swapped = lines.with(at, lines[to] ?? '').with(to, lines[at] ?? '');
        expect(verifyChain([fileOf(swapped)]).breaks).not.toEqual([]);
        expect(verifyChain([fileOf(lines.toSpliced(to, 0, lines[at] ?? ''))]).breaks).not.toEqual([]);
      }),
    );
  });

  it('reveals a truncated file if a later file follows', () => {
    fc.assert(
      fc.property(chains, fc.integer({ min: 1 }), ({ lines, at }, cut) => {
        const { text } = fileOf(lines.slice(0, at + 1));
        const short = { name: 'a', text: text.slice(0, -(1 + (cut % text.length))) };
        expect(verifyChain([short, fileOf(lines.slice(at + 1), 'b')]).breaks).not.toEqual([]);
      }),
    );
  });

  it('reports an incomplete last line, which does not count as a break', () => {
    fc.assert(
      fc.property(chains, fc.integer({ min: 1 }), ({ lines }, cut) => {
        const last = lines.at(-1) ?? '';
        const { text } = fileOf(lines.slice(0, -1));
        const report = verifyChain([{ name: 'a', text: text + last.slice(0, 1 + (cut % last.length)) }]);
        expect(report).toMatchObject({ breaks: [], torn: { file: 'a', line: lines.length } });
        expect(report.entries).toHaveLength(lines.length - 1);
      }),
    );
  });

  it('may lack its oldest entries only if an entry contains the hash of the last removed entry', () => {
    fc.assert(
      fc.property(chains, fc.boolean(), ({ lines, at }, lies) => {
        const entries = verifyChain([fileOf(lines)]).entries;
        const [last, end] = [entries[at], entries.at(-1)];
        if (last === undefined || end === undefined) throw new Error('no entries');
        const removed = { seq: last.seq, hash: lies ? end.hash : last.hash };
        const note = { kind: 'log.expired', actor: 'overworld', message: '', cause: '', removed };
        const { breaks } = verifyChain([
          fileOf([...lines.slice(at + 1), lineOf(sealEntry(end, 2_000, note))]),
        ]);
        expect(breaks).toHaveLength(lies ? 1 : 0);
      }),
    );
  });

  it('contains the same hash for an entry, whatever the order of its fields', () => {
    const content = { kind: 'key.added', actor: 'anna', message: 'm', cause: 'c' };
    const turned = { cause: 'c', message: 'm', actor: 'anna', kind: 'key.added' };
    expect(lineOf(sealEntry(EMPTY, 1, content))).toBe(lineOf(sealEntry(EMPTY, 1, turned)));
  });
});
