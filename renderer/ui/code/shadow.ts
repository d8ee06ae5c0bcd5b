/**
 * Returns the shadow root of an editor. In a shadow root, CodeMirror uses a constructed style sheet, which the
 * window's CSP (`style-src 'self'`) allows; in the page itself it would need an inline one.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}

const KEYS_OF_TEXT = /^(.|Escape|Enter|Backspace|Delete|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right))$/u;

/**
 * Whether a key belongs to the text. Seen from outside the shadow root, the event comes from the host, which is no
 * text field: shortcuts of the window would handle it, and a dialog would close on the Escape that leaves the text.
 */
export function belongsToText(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && KEYS_OF_TEXT.test(event.key);
}
