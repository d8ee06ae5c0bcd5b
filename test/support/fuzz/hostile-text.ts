import fc from 'fast-check';

/**
 * Texts that may take long to parse: one character or word many times, followed by another character or by nothing.
 */
const repeated = fc
  .tuple(
    fc.constantFrom(
      '\r',
      '\n',
      ' ',
      '\t',
      '\\',
      '"',
      '[',
      '{"a":',
      ':',
      '\ufffd',
      '\u00a7',
      '\u001b[',
      'a',
      '0',
    ),
    fc.constantFrom(1_000, 20_000),
    fc.constantFrom('', 'x', '\n'),
  )
  .map(([piece, count, end]) => piece.repeat(count) + end);

/**
 * Returns an arbitrary of texts of a hostile sender: changed copies of valid texts, JSON values, texts that may take
 * long to parse, and noise.
 *
 * @param valid texts that the reader accepts
 */
export function hostileText(...valid: readonly string[]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...valid), fc.nat(), fc.nat(8), fc.string({ unit: 'binary', maxLength: 6 }))
    .map(([text, at, cut, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    });
  const replaced = fc
    .tuple(
      fc.constantFrom(...valid),
      fc.nat(),
      fc.oneof(
        fc.json({ maxDepth: 2 }),
        repeated.map((text) => JSON.stringify(text)),
      ),
    )
    .map(([text, at, value]) => {
      const places = [...text.matchAll(/(?<=:)(?:"[^"]*"|[^,}"\]]+)/g)];
      const place = places[at % Math.max(1, places.length)];
      if (place === undefined) return value;
      return text.slice(0, place.index) + value + text.slice(place.index + place[0].length);
    });
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    { weight: 4, arbitrary: replaced },
    { weight: 2, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: repeated },
  );
}
