/** Elements that cover the screen and receive the keys. Elements that are closing do not count. */
const COVER = ['dialog', 'alertdialog', 'menu']
  .map((role) => `[role=${role}]:not([data-state=closed])`)
  .join(', ');

/** Returns whether a dialog or menu covers the screen. The keys are then meant for the dialog or menu. */
export function isCovered(): boolean {
  return document.querySelector(COVER) !== null;
}
