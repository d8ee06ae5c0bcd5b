import { expect, type Locator, type Page } from 'playwright/test';

/** Bit for "copy" in the allowed operations of a drag (Chrome DevTools Protocol). */
const COPY = 1;

/** The Files screen as a person uses it. */
export class Files {
  readonly window: Page;
  /** The list of the master's folder. */
  readonly table: Locator;
  /** The list of this computer's folder. */
  readonly local: Locator;
  readonly transfers: Locator;
  /** The text of the edited file. */
  readonly editor: Locator;

  constructor(window: Page) {
    this.window = window;
    this.table = window.getByRole('grid', { name: 'Files: Master' });
    this.local = window.getByRole('grid', { name: 'Files: This computer' });
    this.transfers = window.getByRole('region', { name: 'Transfers' });
    this.editor = window.getByRole('textbox', { name: /^Content of / });
  }

  /** Opens a template's folder, or a folder inside it. */
  async open(id: string, ...folders: readonly string[]): Promise<void> {
    await this.window
      .getByRole('navigation', { name: 'Screens' })
      .getByRole('link', { name: 'Files' })
      .click();
    const path = this.window.getByRole('navigation', { name: 'Path: Master' });
    await path.getByRole('button', { name: 'Files' }).click();
    for (const name of ['templates', id, ...folders]) await this.row(name).dblclick();
    await expect(this.area('templates', id, ...folders)).toBeVisible();
  }

  /** Adds a folder of this computer to the app and shows it. The system's dialog is replaced. */
  async addLocalFolder(path: string): Promise<void> {
    await this.window.getByRole('button', { name: 'This computer', exact: true }).last().click();
    await this.window.getByRole('menuitem', { name: 'Add folder…' }).click();
    await expect(this.window.getByRole('region', { name: `Folder ${path}`, exact: true })).toBeVisible();
  }

  /** Returns the list of a folder, onto which files can be dropped. */
  area(...path: readonly string[]): Locator {
    return this.window.getByRole('region', { name: `Folder /${path.join('/')}`, exact: true });
  }

  row(name: string): Locator {
    return this.#rowIn(this.table, name);
  }

  localRow(name: string): Locator {
    return this.#rowIn(this.local, name);
  }

  async upload(what: 'files' | 'folder'): Promise<void> {
    await this.window.getByRole('button', { name: 'Upload', exact: true }).click();
    await this.window.getByRole('menuitem', { name: `Upload ${what}…` }).click();
  }

  /** Returns the line of a transfer in the queue. */
  transfer(name: string): Locator {
    // The arrow follows the name. Without it, "world" would match "overworld" in the path of the destination.
    return this.transfers
      .getByRole('listitem')
      .filter({ hasText: `${name} →` })
      .first();
  }

  /** Selects exactly these entries of the master's list. */
  async choose(...names: readonly string[]): Promise<void> {
    for (const [index, name] of names.entries()) {
      await this.row(name).click(index === 0 ? {} : { modifiers: ['Control'] });
    }
  }

  /** Drags files or folders of this computer onto an element, with the events that the system sends. */
  async drop(paths: readonly string[], target: Locator): Promise<void> {
    const session = await this.window.context().newCDPSession(this.window);
    const box = await target.boundingBox();
    if (box === null) throw new Error('what is dropped on is not visible');
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const data = { items: [], files: [...paths], dragOperationsMask: COPY };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, ...at, data });
    }
    await session.detach();
  }

  #rowIn(list: Locator, name: string): Locator {
    return list.getByRole('row').filter({ has: this.window.getByText(name, { exact: true }) });
  }
}
