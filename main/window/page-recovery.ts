import type { RenderProcessGoneDetails } from 'electron';
import type { Log } from '../environment/log.ts';
import { listNames, type UnsavedTexts } from './unsaved.ts';

/** Minimum time between two reloads of a crashed page without a question (ms). */
export const RELOAD_INTERVAL_MS = 60_000;

/** Why the process of the page has exited. */
export type PageExit = Pick<RenderProcessGoneDetails, 'reason' | 'exitCode'>;

/** A dialog about the page. It is shown by the system, because the page cannot show it. */
export interface PageDialog {
  readonly message: string;
  readonly detail: string;
  /** Labels of the buttons. The first one is preselected. */
  readonly buttons: readonly string[];
  /** Label of the button that closing the dialog counts as. */
  readonly cancel: string;
  /** Closes the dialog. */
  readonly signal?: AbortSignal;
}

interface Options {
  readonly unsaved: UnsavedTexts;
  readonly log: Log;
  /** Loads the page again, in a new process. */
  readonly reload: () => void;
  /** Ends the process of the page. */
  readonly endProcess: () => void;
  /** Begins to quit. The person may still cancel it ({@link PageRecovery.handleQuitCancelled}). */
  readonly quit: () => void;
  /** Shows a dialog over the window. Returns the label of the pressed button. */
  readonly show: (dialog: PageDialog) => Promise<string>;
  /** Monotonic clock (ms). */
  readonly now?: () => number;
}

const RELOAD = 'Reload window';
const QUIT = 'Quit Overworld';
const WAIT = 'Wait';
const OK = 'OK';

/** What happens outside of the page's process. */
const NOT_AFFECTED = 'The master, its services and transfers of files are not affected.';

/**
 * Recovers the window from a page that has crashed or does not respond. Reloads a crashed page. If the page was already
 * reloaded in the last minute, asks the person first, because the page may crash whenever it is loaded. Unsaved texts
 * exist only in the page, so a crash loses them; a dialog then names them.
 */
export class PageRecovery {
  readonly #options: Options;
  readonly #now: () => number;
  #reloadedAt = -Infinity;
  /** Whether the question after repeated crashes is displayed. */
  #asking = false;
  /** Whether the page was not reloaded after its last crash, because the person has chosen to quit. */
  #isLeft = false;
  /** Closes the displayed question about a page that does not respond. Null if none is displayed. */
  #hung: AbortController | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Handles the exit of the page's process. */
  async handleExit(exit: PageExit): Promise<void> {
    const { unsaved, log, show } = this.#options;
    const lost = unsaved.names;
    unsaved.update([]);
    log.error({ ...exit, lost }, 'the process of the page exited');
    this.#hung?.abort();
    if (this.#asking) return;
    if (this.#now() - this.#reloadedAt >= RELOAD_INTERVAL_MS) {
      this.#reload();
      if (lost.length > 0) {
        const message = 'The window crashed and was reloaded.';
        await show({ message, detail: detailOf(exit, lost), buttons: [OK], cancel: OK });
      }
      return;
    }
    this.#asking = true;
    try {
      const message = 'The window crashed again within a minute.';
      const detail = detailOf(exit, lost);
      const pressed = await show({ message, detail, buttons: [RELOAD, QUIT], cancel: RELOAD });
      if (pressed === QUIT) this.#quit();
      else this.#reload();
    } finally {
      this.#asking = false;
    }
  }

  /** Handles a page that does not respond to input. Asks whether to wait or to reload it. */
  async handleUnresponsive(): Promise<void> {
    const { unsaved, log, endProcess, show } = this.#options;
    if (this.#asking || this.#hung !== null) return;
    log.warn('the page does not respond');
    const hung = new AbortController();
    this.#hung = hung;
    try {
      const pressed = await show({
        message: 'The window does not respond.',
        detail: `${NOT_AFFECTED}${lossOf(unsaved.names, 'A reload loses unsaved changes in:')}`,
        buttons: [RELOAD, WAIT],
        cancel: WAIT,
        signal: hung.signal,
      });
      if (pressed !== RELOAD || hung.signal.aborted) return;
      // The person has agreed to a reload and to the loss of unsaved texts, so the exit of the process asks nothing.
      unsaved.update([]);
      this.#reloadedAt = -Infinity;
      endProcess();
    } finally {
      this.#hung = null;
    }
  }

  /** Handles a page that responds again. Closes the question about it. */
  handleResponsive(): void {
    this.#hung?.abort();
  }

  /** Handles that the page is loaded, whatever has started the load, for example a switch to another master. */
  handleLoaded(): void {
    this.#isLeft = false;
  }

  /** Handles that the person has cancelled quitting. Reloads the page if it was left crashed. */
  handleQuitCancelled(): void {
    if (this.#isLeft) this.#reload();
  }

  #quit(): void {
    this.#isLeft = true;
    this.#options.quit();
  }

  #reload(): void {
    this.#isLeft = false;
    this.#reloadedAt = this.#now();
    this.#options.reload();
  }
}

function detailOf(exit: PageExit, lost: readonly string[]): string {
  return `${causeOf(exit)} ${NOT_AFFECTED}${lossOf(lost, 'Unsaved changes were lost in:')}`;
}

function causeOf({ reason, exitCode }: PageExit): string {
  const causes: Partial<Record<PageExit['reason'], string>> = {
    oom: 'It ran out of memory',
    killed: 'Its process was killed',
    'launch-failed': 'Its process could not be started',
  };
  return `${causes[reason] ?? 'Its process exited unexpectedly'} (${reason}, exit code ${exitCode}).`;
}

function lossOf(names: readonly string[], introduction: string): string {
  return names.length === 0 ? '' : `\n\n${introduction}\n${listNames(names)}`;
}
