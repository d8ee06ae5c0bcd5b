const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Gives a text the byte order mark and the line ends of the old text that it replaces, because editors work with
 * plain `\n`. Changes the line ends only if all of them are CRLF in the old text and LF in the new one. Otherwise,
 * keeps the line ends of the new text. So a file with mixed line ends has only `\n` after an edit.
 */
export function withShapeOf(old: string, text: string): string {
  const crlf = old.includes('\r\n') && !/(^|[^\r])\n/.test(old) && !text.includes('\r');
  const body = crlf ? text.replaceAll('\n', '\r\n') : text;
  return old.startsWith(BYTE_ORDER_MARK) && !body.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + body : body;
}
