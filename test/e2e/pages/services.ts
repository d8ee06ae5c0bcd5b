import { expect, type Locator, type Page } from 'playwright/test';

/** The Services screen and the panel of a service, as a person uses them. */
export class Services {
  readonly window: Page;

  constructor(window: Page) {
    this.window = window;
  }

  /** Requests one more service with the button, and opens the new service from the table. */
  async start(template: string, id: string): Promise<void> {
    await this.window.getByRole('button', { name: 'Start service' }).first().click();
    await this.window.getByRole('menuitem', { name: template, exact: true }).click();
    await this.open(id);
  }

  async open(id: string): Promise<void> {
    const table = this.window.getByRole('grid', { name: 'Services' });
    await table.getByText(id, { exact: true }).click();
    await expect(this.panel(id)).toBeVisible();
  }

  panel(id: string): Locator {
    return this.window.getByRole('region', { name: id, exact: true });
  }

  /** Waits until a service's panel shows this state. */
  async expectState(id: string, state: string): Promise<void> {
    await expect(this.panel(id).getByText(state, { exact: true })).toBeVisible();
  }

  console(id: string): Locator {
    return this.window.getByRole('log', { name: `Console of ${id}` });
  }

  /** Returns the tab of an open console. */
  consoleTab(id: string): Locator {
    return this.window.getByRole('tablist', { name: 'Open consoles' }).getByRole('tab', { name: id });
  }

  /** Opens a console in a tab, chosen from the list of available consoles. */
  async openConsole(name: string): Promise<void> {
    await this.window.getByRole('button', { name: 'Open console', exact: true }).click();
    await this.window.getByRole('menuitem', { name, exact: true }).click();
  }

  /** Sends a command in the visible console. */
  async command(id: string, line: string): Promise<void> {
    const input = this.window.getByRole('textbox', { name: `Command for ${id}` });
    await input.fill(line);
    await input.press('Enter');
    await expect(input).toHaveValue('');
  }

  async tab(name: 'Console' | 'Details' | 'History'): Promise<void> {
    await this.window.getByRole('tab', { name }).click();
  }

  /** Chooses an item from the menu next to the buttons in a service's panel. */
  async more(id: string, item: string): Promise<void> {
    await this.panel(id)
      .getByRole('button', { name: `More actions for ${id}` })
      .click();
    await this.window.getByRole('menuitem', { name: item }).click();
  }

  /** Confirms the dialog that names the service to be stopped, killed or removed. */
  async confirm(verb: 'Stop' | 'Kill' | 'Remove', id: string, answer = `${verb} service`): Promise<void> {
    const dialog = this.window.getByRole('dialog', { name: `${verb} service ${id}?` });
    await dialog.getByRole('button', { name: answer, exact: true }).click();
    await expect(dialog).toBeHidden();
  }
}
