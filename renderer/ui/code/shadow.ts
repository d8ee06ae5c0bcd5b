/**
 * Returns the shadow root of an editor. In a shadow root, CodeMirror uses a constructed style sheet, which the
 * window's CSP (`style-src 'self'`) allows; in the page itself it would need an inline one.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}

const KEYS_OF_TEXT = /^(.|Escape|Enter|Backspace|Delete|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right))$/u;

/**
 * Returns whether a key press in an editor is for its text: a character or an editing key, without Ctrl, Alt or
 * Command. The window must ignore such a press. It sees the press as one of the shadow host, which is no text field,
 * and would run a shortcut or close a dialog on Escape.
 */
export function belongsToText(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && KEYS_OF_TEXT.test(event.key);
}
