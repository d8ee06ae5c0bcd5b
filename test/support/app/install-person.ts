import type { Locator, Page } from 'playwright';
import type { InstallJob } from '#shared/ipc/contract.ts';
import { waitFor } from '../wait-for.ts';
import { askApp, type OpenApp } from './open-app.ts';

/** Maximum time of a whole installation or update on a busy machine (ms). */
const JOB_TIMEOUT_MS = 600_000;

/** Variable in the app's main process: the texts of the system's dialogs that were confirmed. */
interface Confirmed {
  confirmed?: string[];
}

/** Effort of a person. */
export interface Effort {
  /** Number of clicks, including clicks in the system's dialogs. */
  readonly clicks: number;
  /** Number of fields that were filled in. */
  readonly fields: number;
}

/** Installs and updates masters on servers in the window as a person does, and counts clicks and filled fields. */
export class InstallPerson {
  readonly #app: OpenApp;
  #clicks = 0;
  #fields = 0;

  constructor(app: OpenApp) {
    this.#app = app;
  }

  get window(): Page {
    return this.#app.window;
  }

  get dialog(): Locator {
    return this.window.getByRole('dialog');
  }

  /**
   * Confirms all later dialogs of the system, because a test cannot click in them. Each dialog counts as one click.
   */
  async confirmSystemDialogs(): Promise<void> {
    await this.#app.electron.evaluate(({ dialog }) => {
      const confirmed: string[] = [];
      (globalThis as Confirmed).confirmed = confirmed;
      dialog.showMessageBox = (...args: unknown[]) => {
        const { message, detail, buttons } = args.at(-1) as Electron.MessageBoxOptions;
        confirmed.push(`${message}\n${detail ?? ''}`);
        const response = (buttons ?? []).findIndex((button) => /^(Trust|Log in)/.test(button));
        return Promise.resolve({ response, checkboxChecked: false });
      };
    });
  }

  /** Returns the texts of the dialogs of the system that were confirmed. */
  async confirmed(): Promise<readonly string[]> {
    return (await this.#app.electron.evaluate(() => (globalThis as Confirmed).confirmed)) ?? [];
  }

  async effort(): Promise<Effort> {
    return { clicks: this.#clicks + (await this.confirmed()).length, fields: this.#fields };
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1;
    await target.click();
  }

  async fill(field: string, text: string): Promise<void> {
    this.#fields += 1;
    await this.dialog.getByLabel(field, { exact: true }).fill(text);
  }

  /** Opens the form of a new installation from the current screen, and enters the address. */
  async enterServer(address: string): Promise<void> {
    const rail = this.window.getByRole('navigation', { name: 'Screens' });
    await this.click(rail.getByRole('link', { name: /^Connections/ }));
    await this.click(this.window.getByRole('button', { name: 'Install on a server', exact: true }));
    await this.fill('Host', address);
  }

  /** Chooses the option of the form that the server also runs services. */
  async chooseServices(): Promise<void> {
    await this.click(this.dialog.getByText('Options', { exact: true }));
    await this.click(this.dialog.getByRole('switch', { name: 'This server runs services, too' }));
  }

  /** Starts the entered installation, and trusts the host key if the dialog asks. */
  async confirmInstall(): Promise<void> {
    await this.click(this.dialog.getByRole('button', { name: 'Install', exact: true }));
    await this.#answerHostKey();
  }

  /** Opens the form of an update on the Connections screen, and starts the update. */
  async update(connection: string): Promise<void> {
    const row = this.window
      .getByRole('list', { name: 'Masters' })
      .getByRole('listitem', { name: connection });
    await this.click(row.getByRole('button', { name: `Actions for ${connection}` }));
    await this.click(this.window.getByRole('menuitem', { name: 'Update the master…' }));
    await this.click(this.dialog.getByRole('button', { name: 'Update', exact: true }));
    await this.#answerHostKey();
  }

  /** Waits until the job is done or has failed. @returns the job */
  async untilEnded(): Promise<InstallJob> {
    return waitFor(
      async () => {
        const job = await this.job();
        return job !== null && job.status !== 'running' && job.status !== 'asking' ? job : null;
      },
      { timeoutMs: JOB_TIMEOUT_MS, what: 'the end of the installation or update' },
    );
  }

  /** Opens the dashboard of the master from the dialog, and waits until it shows live data. */
  async openDashboard(name: string): Promise<void> {
    await this.click(this.dialog.getByRole('button', { name: 'Open dashboard' }));
    await this.window.getByRole('button', { name: `Master: ${name}` }).waitFor();
    await this.window.waitForSelector('html[data-live="true"]', { state: 'attached' });
    await this.window.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  job(): Promise<InstallJob | null> {
    return askApp(this.window, 'install.job', {});
  }

  async #answerHostKey(): Promise<void> {
    const trust = this.dialog.getByRole('button', { name: 'Trust and continue' });
    const asked = await waitFor(
      async () => {
        const job = await this.job();
        if (job === null || (job.status === 'running' && job.steps[0]?.status === 'running')) return null;
        return job.question === 'login' ? null : { trust: job.question === 'trust' };
      },
      { what: 'the connection to the server or the question about its host key' },
    );
    if (asked.trust) await this.click(trust);
  }
}
