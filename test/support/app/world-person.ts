import type { Locator, Page } from 'playwright';
import type { OpenApp } from './open-app.ts';

/** Maximum time for a change of a service or node on a busy machine (ms). */
const SLOW_MS = 120_000;

/** Uses the window as a person who looks after the worlds of a template. */
export class WorldPerson {
  readonly window: Page;
  readonly #template: string;

  constructor({ window }: OpenApp, template: string) {
    this.window = window;
    this.#template = template;
  }

  dialog(name: string | RegExp): Locator {
    return this.window.getByRole('dialog', { name });
  }

  async goTo(screen: 'Services' | 'Nodes' | 'Templates' | 'Activity' | 'Overview'): Promise<void> {
    const rail = this.window.getByRole('navigation', { name: 'Screens' });
    // A screen with problems has a second link, which shows the number of problems.
    await rail
      .getByRole('link', { name: new RegExp(`^${screen}`) })
      .first()
      .click();
    await this.window.getByRole('heading', { level: 1, name: screen }).waitFor();
  }

  /** Chooses an action from the menu of a node on the Nodes screen. */
  async chooseForNode(node: string, action: string): Promise<void> {
    await this.goTo('Nodes');
    const row = this.#rowOf('Nodes', node);
    await row.click({ button: 'right' });
    await this.window.getByRole('menuitem', { name: action }).click();
  }

  /** Returns the dialog that asks whether to stop a service. */
  async askToStop(service: string): Promise<Locator> {
    await this.goTo('Services');
    await this.#rowOf('Services', service).click({ button: 'right' });
    await this.window.getByRole('menuitem', { name: /^Stop service/ }).click();
    const dialog = this.dialog(`Stop service ${service}?`);
    await dialog.waitFor();
    return dialog;
  }

  /** Waits until the row of a service on the Services screen has all these words, such as its state and its node. */
  async untilService(service: string, ...words: readonly string[]): Promise<void> {
    await this.goTo('Services');
    const row = words.reduce(
      (rows, word) => rows.filter({ has: this.window.getByText(word, { exact: true }) }),
      this.#rowOf('Services', service),
    );
    await row.waitFor({ timeout: SLOW_MS });
  }

  /** Opens the tab Data of the template. @returns the row of a volume */
  async openData(volume: string): Promise<Locator> {
    await this.goTo('Templates');
    await this.#rowOf('Templates', this.#template).getByText(this.#template, { exact: true }).last().click();
    await this.window.getByRole('tab', { name: /^Data/ }).click();
    const row = this.#rowOf(`Volumes of template ${this.#template}`, volume);
    await row.waitFor();
    return row;
  }

  /** Opens the list of saves of a volume. @returns its dialog */
  async openSaves(volume: string): Promise<Locator> {
    const row = await this.openData(volume);
    await row.getByRole('button', { name: `saves of ${volume}` }).click();
    const dialog = this.dialog(`Saves of ${volume}`);
    await dialog.getByRole('radio').first().waitFor();
    return dialog;
  }

  /** Waits until the activity log has a line with this text. @returns the newest such line */
  async findEvent(text: string): Promise<Locator> {
    await this.goTo('Activity');
    await this.window.getByRole('searchbox').fill(text);
    const line = this.window.getByRole('article').filter({ hasText: text }).first();
    await line.waitFor({ timeout: SLOW_MS });
    return line;
  }

  #rowOf(grid: string, name: string): Locator {
    return this.window
      .getByRole('grid', { name: grid, exact: true })
      .getByRole('row')
      .filter({ has: this.window.getByText(name, { exact: true }) });
  }
}
