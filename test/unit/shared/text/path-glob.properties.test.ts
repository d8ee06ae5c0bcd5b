import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandBraces, hasUnbalancedBraces, pathPattern, splitGlobs } from '#shared/text/path-glob.ts';

/** Reports whether a glob matches a path, by the rules of the documentation. Tries all possibilities. */
function matchesNames(glob: readonly string[], names: readonly string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return true;
  if (first === '**') return startsOf(names).some((at) => matchesNames(rest, names.slice(at)));
  const [name, ...others] = names;
  return name !== undefined && matchesName(first, name) && matchesNames(rest, others);
}

function matchesName(mask: string, name: string): boolean {
  const [first, ...rest] = mask;
  if (first === undefined) return name === '';
  if (first === '*') {
    return startsOf(name).some((at) => matchesName(rest.join(''), name.slice(at)));
  }
  if (first === '[' && mask.startsWith('[ab]'))
    return /^[ab]/.test(name) && matchesName(mask.slice(4), name.slice(1));
  return name !== '' && (first === '?' || first === name[0]) && matchesName(rest.join(''), name.slice(1));
}

const startsOf = ({ length }: { readonly length: number }): readonly number[] =>
  Array.from({ length: length + 1 }, (_, at) => at);

const matches = (glob: string, path: string): boolean =>
  new RegExp(`^(?:${pathPattern(glob, 1).source}).*$`, 'su').test(path);

const aName = fc
  .array(fc.constantFrom('a', 'b', '-', '.', '☃', '\n'), { minLength: 1, maxLength: 6 })
  .map((characters) => characters.join(''));
const aMask = fc
  .array(fc.constantFrom('a', 'b', '-', '.', '☃', '?', '*', '[ab]'), { minLength: 1, maxLength: 6 })
  .map((characters) => characters.join(''))
  .filter((mask) => mask !== '**');
const aPath = fc.array(aName, { minLength: 1, maxLength: 5 });
const aGlob = fc.array(fc.oneof({ weight: 3, arbitrary: aMask }, fc.constant('**')), {
  minLength: 1,
  maxLength: 5,
});

describe('a glob pattern for paths', () => {
  it('matches the same paths as an exhaustive search', () => {
    fc.assert(
      fc.property(aGlob, aPath, (glob, path) => {
        expect(matches(glob.join('/'), path.join('/'))).toBe(matchesNames(glob, path));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[!a]x', 'bx', true],
    ['[c-a]x', '-x', true],
    ['a[b', 'a[b', true],
    ['(a|b)', '(a|b)', true],
    ['a+', 'aa', false],
  ])('written as %s matches the path %s: %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });
});

describe('the braces in a glob pattern', () => {
  it.each([
    ['{a,b}/*', ['a/*', 'b/*']],
    ['x{a,{b,c}d}', ['xa', 'xbd', 'xcd']],
    ['{a}', ['{a}']],
    ['{a', ['{a']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
  ])('in %s expand to %j', (glob, expected) => {
    expect(expandBraces(glob)).toEqual(expected);
  });

  it('are rejected if they expand to too many patterns', () => {
    expect(expandBraces('{a,b}'.repeat(42))).toBeUndefined();
  });

  it.each([
    ['{a,b}{c}', false],
    ['x{a,{b,c}d}', false],
    ['{a', true],
    ['a}', true],
    ['}{', true],
  ])('in %s are unbalanced: %s', (glob, expected) => {
    expect(hasUnbalancedBraces(glob)).toBe(expected);
  });

  it.each([
    ['{a,b}/*,c', ['{a,b}/*', 'c']],
    ['x{a,{b,c}d},e', ['x{a,{b,c}d}', 'e']],
    ['a},b', ['a}', 'b']],
    ['{a\nb,c', ['{a', 'b', 'c']],
    ['a;b\tc\r\n', ['a', 'b', 'c', '', '']],
  ])('keep their commas when the list %j is split', (list, expected) => {
    expect(splitGlobs(list)).toEqual(expected);
  });
});
