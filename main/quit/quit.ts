import { app, type BrowserWindow } from 'electron';
import type { MasterLink } from '../connections/link.ts';
import type { EmbeddedConnection } from '../embedded/embedded-connection.ts';
import { closeFileServices, type FileServices } from '../files/file-services.ts';
import type { Log } from '../environment/log.ts';
import type { InstallJobs } from '../install/jobs.ts';
import type { Background } from '../tray/attach.ts';
import { showWindow } from '../window/show.ts';
import type { AppSettings, SettingsFile } from '../vault/settings.ts';
import { askAboutEdits, askAboutJob, askAboutTexts, askOnQuit, type QuestionPlace } from './ask.ts';
import { decideOnQuit } from './decide.ts';
import { jobTimeoutMs, questionAboutJob } from './running-job.ts';
import type { UnsavedTexts } from '../window/unsaved.ts';

/** Time limits of the steps below (ms), because the app must quit even if a step hangs. */
const COUNT_TIMEOUT_MS = 3000;
const CLEAN_UP_TIMEOUT_MS = 5000;
/**
 * Time limit for stopping services (ms). It is long, because a game server saves its worlds when it stops. The master
 * kills services that exceed its own, shorter limit.
 */
const STOP_TIMEOUT_MS = 120_000;
const KEEP_TIMEOUT_MS = 15_000;

export interface QuitOptions {
  readonly window: BrowserWindow;
  readonly link: MasterLink;
  readonly embedded: EmbeddedConnection;
  readonly background: Background;
  readonly files: FileServices;
  readonly installs: InstallJobs;
  readonly unsaved: UnsavedTexts;
  readonly settings: SettingsFile;
  /** Returns the settings to save last, such as the window's position. */
  lastSettings(): Partial<AppSettings>;
  /** Called when the person has cancelled quitting. */
  onCancel(): void;
  readonly log: Log;
  readonly override: 'stop' | 'keep' | null;
  readonly unattended: boolean;
}

/**
 * Quits the app in order: asks about a job on a server, unsaved data and local services, cleans up transfers, cancels
 * the job, shuts the embedded master down, and exits. A remote master is not affected. Every step has a time limit.
 */
export class Quit {
  readonly #options: QuitOptions;
  #unattended: boolean;
  #underWay = false;
  #exitCode = 0;
  /** Shortens the wait for a job on a server. Called when a signal ends the app. */
  #hurry = (): void => undefined;
  /** Closes the displayed question when a signal ends the app. */
  readonly #questions = new AbortController();

  constructor(options: QuitOptions) {
    this.#options = options;
    this.#unattended = options.unattended;
  }

  /**
   * Registers the listeners. Closing the window hides it if the app stays in the tray, and otherwise quits the app.
   * SIGINT, SIGTERM and SIGHUP quit it without questions, and close a question that is displayed.
   */
  listen(): void {
    const { window } = this.#options;
    window.on('close', (event) => {
      event.preventDefault();
      if (this.#options.background.staysInTray && !this.#underWay) window.hide();
      else this.begin();
    });
    app.on('before-quit', (event) => {
      event.preventDefault();
      this.begin();
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        this.#unattended = true;
        this.#questions.abort();
        this.#hurry();
        this.begin();
      });
    }
  }

  /**
   * Starts to quit. Does nothing more if the app is already quitting.
   *
   * @param exitCode exit code of the app; the highest one of several calls counts
   */
  begin(exitCode = 0): void {
    this.#exitCode = Math.max(this.#exitCode, exitCode);
    if (this.#underWay) return;
    this.#underWay = true;
    this.#run().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the app could not shut down cleanly');
      app.exit(this.#exitCode === 0 ? 1 : this.#exitCode);
    });
  }

  get #place(): QuestionPlace {
    return { window: this.#options.window, signal: this.#questions.signal };
  }

  async #run(): Promise<void> {
    const choice = (await this.#mayQuit()) ? await this.#choose() : 'cancel';
    if (choice === 'cancel') {
      this.#underWay = false;
      this.#options.onCancel();
      return;
    }
    const { window, link, embedded, background, files, settings, log } = this.#options;
    log.info({ services: choice }, 'the app is quitting');
    // First, because a clicked notification could switch to another master and start it.
    background.close();
    // On Windows, a temporary file cannot be removed while another program has it open.
    const closed = closeFileServices(files).catch((error: unknown) => {
      log.error({ err: error }, 'temporary files could not be removed');
    });
    await Promise.all([Promise.race([closed, after(CLEAN_UP_TIMEOUT_MS)]), this.#endJob()]);
    if (!window.isDestroyed() && choice === 'stop') window.setTitle('Overworld: stopping services…');
    const timeoutMs = choice === 'stop' ? STOP_TIMEOUT_MS : KEEP_TIMEOUT_MS;
    await embedded.end(choice, timeoutMs);
    link.close();
    // Writes run one after the other, so all earlier ones are on disk when this one is complete.
    await Promise.race([settings.update(this.#options.lastSettings()), after(CLEAN_UP_TIMEOUT_MS)]);
    app.exit(this.#exitCode);
  }

  /** Cancels the job on a server, and waits for its end. */
  async #endJob(): Promise<void> {
    const { window, installs } = this.#options;
    const { job } = installs;
    if (!window.isDestroyed() && questionAboutJob(job) !== null)
      window.setTitle('Overworld: cancelling the job on the server…');
    const hurried = new Promise<void>((resolve) => (this.#hurry = resolve));
    await Promise.race([
      installs.end(),
      after(jobTimeoutMs(job, this.#unattended)),
      hurried.then(() => after(jobTimeoutMs(job, true))),
    ]);
  }

  /**
   * Asks about a job on a server, about unsaved texts of the window, and about files that are open in other programs
   * and not uploaded. If the user cannot answer, the local copies of these files are kept.
   */
  async #mayQuit(): Promise<boolean> {
    const { window, files, installs, unsaved, override } = this.#options;
    const edits = await files.externalEdits.unsaved();
    if (this.#unattended || override !== null || window.isDestroyed()) return true;
    const isAllowed =
      (await askAboutJob(this.#place, installs.job)) &&
      (await askAboutTexts(this.#place, unsaved.names)) &&
      (await askAboutEdits(this.#place, edits));
    // A signal has closed the question.
    return isAllowed || this.#unattended;
  }

  async #choose(): Promise<'stop' | 'keep' | 'cancel'> {
    const { window, settings, embedded, override } = this.#options;
    const running = await embedded.countRunning(COUNT_TIMEOUT_MS);
    const decided = decideOnQuit({
      override,
      remembered: settings.data.onQuit,
      running,
      unattended: this.#unattended || window.isDestroyed(),
    });
    if (decided !== 'ask') return decided;
    // A question asked while the app is in the tray would be attached to an invisible window.
    showWindow(window);
    const { choice, remember } = await askOnQuit(this.#place, running ?? { services: 0, nodes: 0 });
    // A signal has closed the question.
    if (choice === 'cancel' && this.#unattended) return this.#choose();
    if (remember && choice !== 'cancel') await settings.update({ onQuit: choice });
    return choice;
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
