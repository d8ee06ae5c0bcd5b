/**
 * Returns the shadow root of an editor. Inside it, CodeMirror uses a constructed style sheet, which the window's CSP
 * (`style-src 'self'`) allows. In the page itself, CodeMirror would need an inline style sheet, which the CSP
 * forbids.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}

const KEYS_OF_TEXT = /^(.|Escape|Enter|Backspace|Delete|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right))$/u;

/**
 * Returns whether a key press in an editor belongs to its text: a character or an editing key, without Ctrl, Alt or
 * Command. The window must ignore such a press. It sees only the shadow host, which is no text field. Therefore, it
 * would otherwise run a shortcut, or close a dialog on Escape.
 */
export function belongsToText(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && KEYS_OF_TEXT.test(event.key);
}
