/**
 * The root in which an editor lives. Within a shadow root CodeMirror puts its styles into a constructed style sheet,
 * which the window's CSP (`style-src 'self'`) allows; in the page itself it would need an inline one.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}

const KEYS_OF_TEXT = /^(.|Escape|Enter|Backspace|Delete|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right))$/u;

/**
 * True for keys that mean something to a text alone. From outside of the root they seem to come from the host, which is
 * no text field: shortcuts of the window would take them, and a dialog would close on the Escape that leaves the text.
 */
export function belongsToText(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && KEYS_OF_TEXT.test(event.key);
}
