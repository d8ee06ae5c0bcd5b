import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '#master/balancer/config/lines.ts';
import { BEGIN, END, findSection, withoutSection, withSection } from '#master/balancer/config/marked-part.ts';

/** Generates any bytes of an admin's file, read as latin1. The marks of Overworld's section are missing. */
const anyText = fc
  .array(
    fc.constantFrom(
      'a',
      'backend x',
      ' ',
      '\t',
      '\n',
      '\r\n',
      '\r',
      '\u00e4',
      '\u00ff',
      '\u0000',
      '# BEGIN',
      '#',
    ),
  )
  .map((parts) => parts.join(''))
  .filter((text) => findSection(text).kind === 'none');
const anyLines = fc.array(
  fc.constantFrom('frontend overworld', '    bind :25565', '', '    server lobby-1 1.2.3.4:5'),
);

describe("Overworld's section of haproxy.cfg", () => {
  it('is replaced without changes to the text before and after it', () => {
    fc.assert(
      fc.property(fc.tuple(anyText, anyText), anyLines, anyLines, ([before, after], lines, newer) => {
        const start = before === '' || before.endsWith('\n') ? before : `${before}\n`;
        const text = `${start}${BEGIN}\n${lines.map((line) => `${line}\n`).join('')}${END}\n${after}`;
        const found = findSection(withSection(text, newer));
        if (found.kind !== 'one') throw new Error(found.kind);
        expect([found.section.before, found.section.after]).toEqual([start, after]);
        expect(linesOf(found.section.body).map((line) => line.text)).toEqual(newer);
        expect(withoutSection(text)).toBe(start + after);
      }),
    );
  });

  it('leaves the rest of the file unchanged when it is added and removed, except for a final newline', () => {
    fc.assert(
      fc.property(anyText, anyLines, (text, lines) => {
        const back = withoutSection(withSection(text, lines));
        if (text === '' || text.endsWith('\n')) expect(back).toBe(text);
        else expect([`${text}\n`, `${text}\r\n`]).toContain(back);
      }),
    );
  });

  it('does not change when it is written again', () => {
    fc.assert(
      fc.property(anyText, anyLines, (text, lines) => {
        const once = withSection(text, lines);
        expect(withSection(once, lines)).toBe(once);
      }),
    );
  });

  it('uses the line endings of the file', () => {
    const text = withSection('global\r\n\tdaemon\r\n', ['backend overworld']);
    expect(text).toBe(`global\r\n\tdaemon\r\n${BEGIN}\r\nbackend overworld\r\n${END}\r\n`);
    expect(findSection(text)).toMatchObject({ kind: 'one', section: { from: 3, to: 5 } });
  });

  it.each([
    ['no end mark', `a\n${BEGIN}\nb\n`, 'line 2 is "# BEGIN OVERWORLD" without "# END OVERWORLD" after it'],
    ['no begin mark', `a\n${END}\n`, 'line 2 is "# END OVERWORLD" without "# BEGIN OVERWORLD" before it'],
    ['two begin marks', `${BEGIN}\n${BEGIN}\n${END}\n`, '"# BEGIN OVERWORLD" appears in lines 1 and 2'],
    ['two end marks', `${BEGIN}\n${END}\nx\n${END}\n`, '"# END OVERWORLD" appears in lines 2 and 4'],
    ['two sections', `${BEGIN}\n${END}\n${BEGIN}\n${END}\n`, '"# BEGIN OVERWORLD" appears in lines 1 and 3'],
    ['the marks in the wrong order', `${END}\n${BEGIN}\n`, '"# END OVERWORLD" (line 1) comes before'],
  ])('is reported as damaged if the file has %s', (_, text, why) => {
    const found = findSection(text);
    expect(found).toMatchObject({ kind: 'broken' });
    expect(found.kind === 'broken' ? found.why : '').toContain(why);
    expect(withoutSection(text)).toBe(text);
  });

  it('is found by its begin and end marks, and not by comments that mention these marks', () => {
    expect(findSection(`  ${BEGIN}\t\nx\n ${END}`).kind).toBe('one');
    expect(findSection(`# see ${BEGIN}\n`).kind).toBe('none');
  });
});
