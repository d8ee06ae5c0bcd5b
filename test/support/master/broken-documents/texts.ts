import type { BrokenDocument } from './document.ts';

const notJson = (line: number, words: string, column: number): string =>
  `The document (line ${line}) is not valid JSON: ${words} (column ${column}).`;

/** Texts that are invalid as documents of all kinds. */
export const brokenTexts: readonly BrokenDocument[] = [
  ['an empty file', '', 'The document is empty; it must be a JSON object, at least {}.'],
  ['nothing but white space', ' \n\t', 'The document is empty; it must be a JSON object, at least {}.'],
  [
    'a byte order mark',
    '\uFEFF{}',
    'The document begins with a byte order mark; save it as UTF-8 without one.',
  ],
  [
    'bytes that are not UTF-8',
    '{"name":"caf\uFFFD"}',
    'The document contains bytes that are not UTF-8; save it as UTF-8.',
  ],
  ['a NUL after the end', '{}\0', notJson(1, 'it contains a NUL character; the file is damaged', 3)],
  ['a list instead of an object', '[]', 'The document must be a JSON object, not a list: found [].'],
  [
    'a string instead of an object',
    '"lobby"',
    'The document must be a JSON object, not a string: found "lobby".',
  ],
  ['a number instead of an object', '5', 'The document must be a JSON object, not a number: found 5.'],
  ['null instead of an object', 'null', 'The document must be a JSON object, not null: found null.'],
  ['an object that is not closed', '{"name": "a"', notJson(1, 'a closing } is missing', 13)],
  ['a list that is not closed', '{"defaultServiceFiles": [', notJson(1, 'a closing ] is missing', 26)],
  [
    'a comma after the last entry',
    '{\n  "priority": 1,\n}',
    notJson(3, 'a key in double quotes is expected; there may be an extra comma before it', 1),
  ],
  [
    'a missing comma',
    '{"priority": 1 "maxPlayers": 2}',
    notJson(1, 'a comma is missing between two entries', 16),
  ],
  ['a colon that is missing', '{"priority" 1}', notJson(1, 'a colon between key and value is missing', 13)],
  ['a comment', '{\n  // note\n}', notJson(2, 'comments are not allowed', 3)],
  ['single quotes', "{'name': 1}", notJson(1, 'unexpected text; strings and keys need double quotes', 2)],
  ['something after the end', '{} {}', notJson(1, 'there is text after the end of the object', 4)],
  [
    'a line break inside a string',
    '{"name": "a\nb"}',
    notJson(1, 'a string is not closed: its closing double quote is missing on the same line', 10),
  ],
  [
    'an invalid escape',
    '{"name": "\\x"}',
    notJson(1, 'this escape sequence is not valid; write \\\\ for a backslash', 10),
  ],
  ['NaN', '{"maxPlayers": NaN}', notJson(1, 'unexpected text; strings and keys need double quotes', 16)],
  [
    '10,000 open brackets',
    '['.repeat(10_000),
    'The document (line 1) is nested more than 64 levels deep; a configuration needs 4.',
  ],
  [
    '500,000 nested objects',
    '{"a":'.repeat(200_000),
    'The document (line 1) is nested more than 64 levels deep; a configuration needs 4.',
  ],
];
