// CSI sequences (ECMA-48 5.4), OSC up to BEL or ST, two-character escapes, and lone control characters but Tab, also those of 8 bits:
// some terminals take U+009B for the begin of a sequence.
/* eslint-disable no-control-regex -- control characters are what is looked for */
const ESCAPES =
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
/* eslint-enable no-control-regex */

/** Every escape sequence and control character of a console line; groups 1 and 2 are a CSI's parameters and its final letter. */
export function matchEscapes(line: string): RegExpStringIterator<RegExpExecArray> {
  return line.matchAll(ESCAPES);
}

/** The line without any escape sequence: what a person sees, searches in and copies. */
export function stripAnsi(line: string): string {
  return line.replace(ESCAPES, '');
}
