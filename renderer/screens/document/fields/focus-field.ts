/**
 * Scrolls to a field of a form and focuses it.
 *
 * @param path the field's dotted path
 * @returns whether the form has the field
 */
export function focusField(form: HTMLElement, path: string): boolean {
  const boxes = form.querySelectorAll<HTMLElement>('[data-field]');
  const box = [...boxes].find(({ dataset }) => dataset['field'] === path);
  box?.scrollIntoView({ block: 'center', behavior: 'smooth' });
  // Prefers an input, because the reset button beside a label comes first in the document. An empty list has only
  // buttons.
  const control =
    box?.querySelector<HTMLElement>(':is(input, textarea, button[role="switch"]):enabled') ??
    box?.querySelector<HTMLElement>('button:enabled');
  control?.focus({ preventScroll: true });
  return box !== undefined;
}
