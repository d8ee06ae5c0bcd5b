import { expect, type Locator, type Page } from 'playwright/test';

/** A template's page as a person uses it. */
export class TemplatePage {
  readonly window: Page;
  /** The bar that lists unsaved changes. It is visible only while there are some. */
  readonly saveBar: Locator;

  constructor(window: Page) {
    this.window = window;
    this.saveBar = window.getByRole('region', { name: 'Unsaved changes' });
  }

  async open(id: string): Promise<void> {
    const rail = this.window.getByRole('navigation', { name: 'Screens' });
    await rail.getByRole('link', { name: 'Templates' }).click();
    const table = this.window.getByRole('grid', { name: 'Templates' });
    await table.getByText(id, { exact: true }).last().click();
    await expect(this.window.getByRole('tab', { name: 'Settings' })).toBeVisible();
  }

  number(label: string): Locator {
    return this.window.getByRole('spinbutton', { name: label, exact: true });
  }

  text(label: string): Locator {
    return this.window.getByRole('textbox', { name: label, exact: true });
  }

  switch(label: string): Locator {
    return this.window.getByRole('switch', { name: label, exact: true });
  }

  async save(): Promise<void> {
    await this.saveBar.getByRole('button', { name: 'Save changes' }).click();
    await expect(this.saveBar).toBeHidden();
  }

  dialog(name: string | RegExp): Locator {
    return this.window.getByRole('dialog', { name });
  }
}
