import { expect, type Locator, type Page } from 'playwright/test';

/** The Connections screen, the master switcher in the title bar, and the questions about host keys. */
export class ConnectionsPage {
  readonly #window: Page;

  constructor(window: Page) {
    this.#window = window;
  }

  /** Returns the row of one master in the list. */
  row(name: string): Locator {
    return this.#window.getByRole('list', { name: 'Masters' }).getByRole('listitem', { name });
  }

  get newKey(): Locator {
    return this.#window.getByRole('dialog', { name: 'Trust this master?' });
  }

  changedKey(name: string): Locator {
    return this.#window.getByRole('dialog', { name: `The host key of ${name} has changed` });
  }

  /** Adds a connection to a master, tests it and opens it. */
  async addAndConnect(name: string, { host, port }: { host: string; port: number }): Promise<void> {
    const window = this.#window;
    await window.getByRole('button', { name: 'Add master' }).click();
    const dialog = window.getByRole('dialog', { name: 'Add master' });
    await dialog.getByLabel('Name').fill(name);
    // A complete address in this field fills both fields.
    await dialog.getByLabel('Host').fill(`${host}:${port}`);
    await expect(dialog.getByLabel('Port')).toHaveValue(String(port));
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByText(/Reached in \d+ ms, new to this app/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Add and connect' }).click();
  }

  /** Chooses a master in the menu of the title bar. */
  async switchTo(name: string): Promise<void> {
    await this.#window.getByRole('button', { name: /^Master:/ }).click();
    await this.#window.getByRole('menuitem', { name }).click();
  }

  /** Waits until the window shows data of this master. */
  async expectMaster(name: string): Promise<void> {
    await expect(this.#window.getByRole('button', { name: `Master: ${name}` })).toBeVisible();
    await expect(
      this.#window.getByRole('status', { name: 'Connection to the master: Connected' }),
    ).toBeVisible();
    await this.#window.locator('html[data-live="true"]').waitFor({ state: 'attached' });
  }
}
