import { expect, type Page } from 'playwright/test';

/** Maximum number of key presses to reach an element. */
const MOST_TABS = 40;

/** The focused element as a screen reader announces it, and whether its focus ring is visible. */
interface Focused {
  readonly role: string;
  readonly name: string;
  /** Whether the focus ring is drawn around the element or around another element that represents it. */
  readonly visible: boolean;
}

/** Uses the window only with the keyboard. Checks at each step that the focus is visible. */
export class Keys {
  readonly #window: Page;

  constructor(window: Page) {
    this.#window = window;
  }

  async press(key: string): Promise<void> {
    await this.#window.keyboard.press(key);
  }

  /** Searches the command palette for these words and runs the first result. */
  async palette(words: string): Promise<void> {
    await this.press('Control+k');
    const input = this.#window.getByRole('combobox', { name: 'Search screens' });
    await expect(input).toBeFocused();
    await this.#window.keyboard.type(words);
    const found = this.#window.getByRole('listbox', { name: 'Results' });
    const chosen = found.getByRole('option', { selected: true });
    await expect(chosen).toContainText(new RegExp(words, 'i'));
    await this.press('Enter');
    await expect(input).toBeHidden();
  }

  tabTo(role: string, name: string): Promise<void> {
    return this.#walk('Tab', role, name);
  }

  backTo(role: string, name: string): Promise<void> {
    return this.#walk('Shift+Tab', role, name);
  }

  async expectFocus(role: string, name: string): Promise<void> {
    await expect.poll(() => this.#focused()).toEqual({ role, name, visible: true });
  }

  /** Presses a key until the element has the focus. Each element that gets the focus must show its focus ring. */
  async #walk(key: string, role: string, name: string): Promise<void> {
    const way: string[] = [];
    for (let presses = 0; presses <= MOST_TABS; presses += 1) {
      const focused = await this.#focused();
      expect(focused.visible, `the focus on ${focused.role} "${focused.name}" can be seen`).toBe(true);
      if (focused.role === role && focused.name === name) return;
      way.push(`${focused.role} "${focused.name}"`);
      await this.press(key);
    }
    throw new Error(`${role} "${name}" was not reached by ${key}: ${way.join(', ')}`);
  }

  #focused(): Promise<Focused> {
    return this.#window.evaluate<Focused>(FOCUSED);
  }
}

/**
 * Script for the page that returns the focused element and whether its focus ring is visible. The ring may be drawn
 * by a box around an input, by a row of a grid, or by a label around a radio button.
 */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return { role: 'document', name: '', visible: true };
  // The console has another background colour, and a ring that is visible on it.
  const colours = ['--focus', '--ansi-green'].map((token) => {
    const probe = document.createElement('i');
    probe.style.color = 'var(' + token + ')';
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
  const drawn = (box) => {
    if (box === null) return false;
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(box);
    const outlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && colours.includes(outlineColor);
    return outlined || colours.some((colour) => boxShadow.includes(colour));
  };
  const row = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
  const places = [element, element.parentElement, element.closest('label'), row, row?.querySelector('td') ?? null];
  const roles = { a: 'link', button: 'button', textarea: 'textbox', select: 'combobox' };
  const inputs = { radio: 'radio', checkbox: 'checkbox', search: 'searchbox' };
  const tag = element.tagName.toLowerCase();
  const named = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();
  const label = element.closest('label')?.querySelector('.title') ?? element.labels?.[0];
  const name = element.getAttribute('aria-label') ?? (named || (label ?? element).textContent);
  return {
    role: element.getAttribute('role') ?? (tag === 'input' ? inputs[element.type] ?? 'textbox' : roles[tag] ?? tag),
    name: name.replace(/\\s+/g, ' ').trim(),
    visible: places.some(drawn),
  };
})()`;
