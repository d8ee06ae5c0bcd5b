import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseJava,
  featureOf,
  featureOfClassFile,
  installableFor,
  javaNeedOf,
  javaOfMinecraft,
  type JavaFacts,
} from '#shared/java-version.ts';

const NOTHING: JavaFacts = {
  classFile: null,
  declared: null,
  minecraft: null,
  javaVersion: null,
  buildJdk: null,
};
const feature = fc.integer({ min: 9, max: 99 });

describe('featureOf (feature version of a Java version)', () => {
  it.each([
    ['17.0.15', 17],
    ['1.8.0_392', 8],
    ['25', 25],
    ['25-ea', 25],
    ['21.0.5+11-LTS', 21],
    ['9.0.1', 9],
    ['', null],
    ['x17', null],
    ['1234', null],
    ['0', null],
  ])('returns for %j: %s', (version, want) => {
    expect(featureOf(version)).toBe(want);
  });

  it('returns the first number since Java 9, and the second number of older versions', () => {
    const tail = fc.constantFrom('', '.0.1', '-ea', '+36', '.0.2.1+9', '_12');
    fc.assert(
      fc.property(feature, tail, (number, rest) => {
        expect(featureOf(`${number}${rest}`)).toBe(number);
        expect(featureOf(`1.${number}${rest}`)).toBe(number);
      }),
    );
  });

  it('returns a positive number or null, for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = featureOf(text);
        expect(found === null || (Number.isInteger(found) && found > 0)).toBe(true);
      }),
    );
  });
});

describe('the Java version that a class file or a Minecraft version needs', () => {
  it('is the major version of the class file minus 44', () => {
    expect([52, 55, 61, 65, 69].map(featureOfClassFile)).toEqual([8, 11, 17, 21, 25]);
    expect([0, 44, -1, 1.5, 60_000].map(featureOfClassFile)).toEqual([null, null, null, null, null]);
  });

  it.each([
    ['1.8.8', 8],
    ['1.16.5', 8],
    ['1.17', 16],
    ['1.17.1', 16],
    ['1.18', 17],
    ['1.20.4', 17],
    ['1.20.5', 21],
    ['1.21', 21],
    ['1.21.11', 21],
    ['26.1', 25],
    ['26.1.2', 25],
    ['1.20.6-pre1', 21],
    ['24w14a', null],
    ['', null],
  ])('for Minecraft %s is %s', (version, want) => {
    expect(javaOfMinecraft(version)).toBe(want);
  });

  it('never decreases from one Minecraft version to the next', () => {
    const release = fc.tuple(
      fc.constantFrom(1, 26, 27),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 12 }),
    );
    fc.assert(
      fc.property(release, release, (a, b) => {
        const [older = a, newer = b] = [a, b].sort((x, y) => x[0] - y[0] || x[1] - y[1] || x[2] - y[2]);
        expect(javaOfMinecraft(older.join('.'))).toBeLessThanOrEqual(javaOfMinecraft(newer.join('.')) ?? 0);
      }),
    );
  });
});

describe('javaNeedOf (Java version that a jar file needs)', () => {
  it('returns at least the version of the main class and the version in the manifest', () => {
    const facts = fc.record({
      classFile: fc.option(fc.integer({ min: 45, max: 90 })),
      declared: fc.option(fc.integer({ min: 1, max: 99 })),
      minecraft: fc.option(fc.constantFrom('1.16.5', '1.20.4', '26.1', 'x')),
      javaVersion: fc.option(fc.constantFrom('21', '1.8', 'x')),
      buildJdk: fc.option(fc.constantFrom('25', 'x')),
    });
    fc.assert(
      fc.property(facts, (one) => {
        const need = javaNeedOf(one);
        if (one.classFile !== null) expect(need).toBeGreaterThanOrEqual(one.classFile - 44);
        if (one.declared !== null) expect(need).toBeGreaterThanOrEqual(one.declared);
      }),
    );
  });

  it('returns null for an empty jar', () => {
    expect(javaNeedOf(NOTHING)).toBeNull();
    expect(javaNeedOf({ ...NOTHING, buildJdk: '21' })).toBe(21);
  });
});

describe('chooseJava (chooses among installed Java versions)', () => {
  const list = (...versions: number[]) => versions.map((version) => ({ feature: version }));

  it.each([
    { wanted: { atLeast: null }, has: list(17, 25), want: 17 },
    { wanted: { atLeast: 17 }, has: list(17, 25), want: 17 },
    { wanted: { atLeast: 21 }, has: list(17, 25, 21), want: 21 },
    { wanted: { atLeast: 8 }, has: list(25, 11, 8), want: 25 },
    { wanted: { exactly: 8 }, has: list(25, 11, 8), want: 8 },
    { wanted: { exactly: 21 }, has: list(25), want: undefined },
    { wanted: { atLeast: 26 }, has: list(25), want: undefined },
  ])('returns $want for $wanted among $has', ({ wanted, has, want }) => {
    expect(chooseJava(wanted, has)?.feature).toBe(want);
  });

  it('returns a version exactly if an installed version is new enough', () => {
    fc.assert(
      fc.property(feature, fc.array(feature), (atLeast, versions) => {
        const chosen = chooseJava({ atLeast }, list(...versions));
        expect(chosen !== null).toBe(versions.some((version) => version >= atLeast));
        if (chosen !== null) expect(chosen.feature).toBeGreaterThanOrEqual(atLeast);
      }),
    );
  });
});

describe('installableFor (chooses the Java version to install)', () => {
  it('returns the next version with long-term support', () => {
    expect([8, 9, 16, 17, 20, 21, 25, 26].map(installableFor)).toEqual([8, 11, 17, 17, 21, 21, 25, 26]);
  });
});
