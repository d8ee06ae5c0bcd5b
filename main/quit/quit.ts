import { app, type BrowserWindow } from 'electron';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { MasterLink } from '../connections/link.ts';
import type { EmbeddedMaster } from '../embedded/embedded-master.ts';
import type { Log } from '../log.ts';
import type { Transfers } from '../sftp/transfers.ts';
import type { Settings, SettingsFile } from '../vault/settings.ts';
import { askOnQuit } from './ask.ts';
import { decideOnQuit } from './decide.ts';

/** Longest wait for each part, in ms: the app must end, whatever hangs. */
const COUNT_TIMEOUT_MS = 3000;
const CLEAN_UP_TIMEOUT_MS = 5000;
/** A server saves its worlds when it is stopped; the master kills what takes longer than its own limit. */
const STOP_TIMEOUT_MS = 120_000;
const KEEP_TIMEOUT_MS = 15_000;

interface QuitOptions {
  readonly window: BrowserWindow;
  readonly link: MasterLink;
  readonly master: EmbeddedMaster;
  readonly transfers: Transfers;
  readonly settings: SettingsFile;
  /** What to write down last: where the window is. */
  lastSettings(): Partial<Settings>;
  readonly log: Log;
  readonly override: 'stop' | 'keep' | null;
  readonly unattended: boolean;
}

/**
 * Ends the app in order: asks about running services, cleans up transfers, ends the master, then the app. Every step
 * is bounded in time.
 */
export class Quit {
  readonly #options: QuitOptions;
  #unattended: boolean;
  #underWay = false;
  #exitCode = 0;

  constructor(options: QuitOptions) {
    this.#options = options;
    this.#unattended = options.unattended;
  }

  /** Takes over closing the window, quitting, and the signals of the system. */
  listen(): void {
    const { window } = this.#options;
    window.on('close', (event) => {
      event.preventDefault();
      this.begin();
    });
    app.on('before-quit', (event) => {
      event.preventDefault();
      this.begin();
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        this.#unattended = true;
        this.begin();
      });
    }
  }

  /** Begins to end the app; one that is under way goes on. */
  begin(exitCode = 0): void {
    this.#exitCode = Math.max(this.#exitCode, exitCode);
    if (this.#underWay) return;
    this.#underWay = true;
    this.#run().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the app could not end in order');
      app.exit(this.#exitCode === 0 ? 1 : this.#exitCode);
    });
  }

  async #run(): Promise<void> {
    const choice = await this.#choose();
    if (choice === 'cancel') {
      this.#underWay = false;
      return;
    }
    const { window, link, master, transfers, settings, log } = this.#options;
    log.info({ services: choice }, 'the app ends');
    if (!window.isDestroyed() && choice === 'stop') window.setTitle('Overworld: stopping services…');
    await Promise.race([transfers.close(), after(CLEAN_UP_TIMEOUT_MS)]);
    const timeoutMs = choice === 'stop' ? STOP_TIMEOUT_MS : KEEP_TIMEOUT_MS;
    await master.stop(() => this.#shutDownMaster(choice, timeoutMs), timeoutMs);
    link.close();
    // Writes run one after the other: when this one is through, all before it are on disk.
    await Promise.race([settings.update(this.#options.lastSettings()), after(CLEAN_UP_TIMEOUT_MS)]);
    app.exit(this.#exitCode);
  }

  /** Asks the master to end. When it cannot be asked, its supervisor ends it, and services are kept. */
  async #shutDownMaster(services: 'stop' | 'keep', timeoutMs: number): Promise<void> {
    const { link, log } = this.#options;
    try {
      await link.call('master.shutdown', { services }, timeoutMs);
    } catch (error) {
      // It may end faster than its answer travels.
      if (hasCode(error, 'CONNECTION_LOST')) return;
      log.warn({ err: error }, 'the master could not be asked to end');
      this.#options.master.terminate();
    }
  }

  async #choose(): Promise<'stop' | 'keep' | 'cancel'> {
    const { window, settings, override } = this.#options;
    const services = await this.#countServices();
    const decided = decideOnQuit({
      override,
      remembered: settings.data.onQuit,
      services,
      unattended: this.#unattended || window.isDestroyed(),
    });
    if (decided !== 'ask') return decided;
    const { choice, remember } = await askOnQuit(window, services ?? 0);
    if (remember && choice !== 'cancel') await settings.update({ onQuit: choice });
    return choice;
  }

  async #countServices(): Promise<number | null> {
    try {
      const { services } = await this.#options.link.call('services.list', {}, COUNT_TIMEOUT_MS);
      return services.length;
    } catch (error) {
      this.#options.log.info({ err: error }, 'the master could not be asked for its services');
      return null;
    }
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
