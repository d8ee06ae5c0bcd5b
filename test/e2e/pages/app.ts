import { expect, type ElectronApplication, type Locator, type Page } from 'playwright/test';

/** Variable in the main process: the questions of the replaced message boxes. */
interface Asked {
  asked?: string[];
}

interface Box {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** The window as a person uses it: screens, actions and texts. */
export class App {
  readonly window: Page;
  readonly #electron: ElectronApplication;

  constructor(window: Page, electron: ElectronApplication) {
    this.window = window;
    this.#electron = electron;
  }

  async goTo(
    place:
      | 'Overview'
      | 'Services'
      | 'Players'
      | 'Nodes'
      | 'Templates'
      | 'Files'
      | 'Configuration'
      | 'Activity'
      | 'Connections'
      | 'Preferences',
  ): Promise<void> {
    const rail = this.window.getByRole('navigation', { name: 'Screens' });
    // A screen with problems has a second link, which shows the number of problems.
    await rail.getByRole('link', { name: new RegExp(`^${place}`) }).click();
    await expect(this.window.getByRole('heading', { level: 1, name: place })).toBeVisible();
  }

  /** Resizes the window's content (pixels) and waits until the page has that width. */
  async resize(width: number, height: number): Promise<void> {
    await this.#electron.evaluate(
      ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size[0], size[1]),
      [width, height] as const,
    );
    await expect.poll(() => this.window.evaluate('innerWidth')).toBe(width);
  }

  /** Replaces the system's "open" dialogs. Later dialogs are answered with these files or folders. */
  async answerOpenDialogs(paths: readonly string[]): Promise<void> {
    await this.#electron.evaluate(({ dialog }, filePaths) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [...filePaths] });
    }, paths);
  }

  /** Replaces the system's "save" dialogs. Later dialogs are answered with this file. */
  async answerSaveDialogs(path: string): Promise<void> {
    await this.#electron.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
    }, path);
  }

  /** Replaces the system's message boxes. Later questions are answered with the button that has this name. */
  async answerQuestions(button: string): Promise<void> {
    await this.#electron.evaluate(({ dialog }, wanted) => {
      const asked: string[] = [];
      (globalThis as Asked).asked = asked;
      dialog.showMessageBox = (...args: unknown[]) => {
        const { message, detail, buttons } = args.at(-1) as Box;
        asked.push(`${message}\n${detail}`);
        return Promise.resolve({ response: Math.max(0, buttons.indexOf(wanted)), checkboxChecked: false });
      };
    }, button);
  }

  /** Returns the questions of the system's message boxes since {@link answerQuestions}, each with its details. */
  async questions(): Promise<string[]> {
    return (await this.#electron.evaluate(() => (globalThis as Asked).asked)) ?? [];
  }

  /** Creates a template of game servers without a preset, and opens the template's folder. */
  async createTemplate(name: string): Promise<void> {
    await this.goTo('Templates');
    await this.window.getByRole('button', { name: 'Create template' }).first().click();
    const dialog = this.window.getByRole('dialog', { name: 'Create template' });
    await dialog.getByText('Something else').click();
    await dialog.getByRole('radio', { name: 'Game server', exact: true }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Create template' }).click();
    await expect(dialog).toBeHidden();
  }

  /** Opens a template's settings. */
  async openTemplate(id: string): Promise<void> {
    await this.goTo('Templates');
    await this.window.getByRole('link', { name: id }).first().click();
  }

  /** Fills one field of the settings, found by its label. */
  async setField(label: string, value: string): Promise<void> {
    await this.window.getByLabel(label, { exact: true }).fill(value);
  }

  async save(): Promise<void> {
    await this.window.getByRole('button', { name: 'Save' }).click();
    await expect(this.window.getByRole('button', { name: 'Save' })).toBeHidden();
  }

  /** Returns the row of a service in the table of all services. */
  serviceRow(id: string): Locator {
    return this.window
      .getByRole('grid', { name: 'Services' })
      .getByRole('row')
      .filter({ has: this.window.getByText(id, { exact: true }) });
  }

  /**
   * Waits until the row of a service shows this state in the cell for states. Other cells may contain the same words.
   */
  async expectState(id: string, state: string): Promise<void> {
    await expect(this.serviceRow(id).getByText(state, { exact: true })).toBeVisible();
  }

  /** Filters the activity log by this text, and returns its newest line. */
  async activity(text: string): Promise<Locator> {
    await this.window.getByRole('searchbox').fill(text);
    const line = this.window.getByRole('article').filter({ hasText: text }).first();
    await expect(line).toBeVisible();
    return line;
  }
}
