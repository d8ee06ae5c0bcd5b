import { _electron, type ElectronApplication, type Page } from 'playwright';
import {
  replySchema,
  requests,
  type RequestName,
  type RequestParams,
  type RequestResult,
} from '#shared/ipc/contract.ts';
import { appEnvironment, machineSwitches } from '../../../build/scripts/app.mjs';
import { electronExecutable } from '../../../build/scripts/electron/runtime.mjs';
import { root } from '../../../build/scripts/paths.mjs';

/** Maximum time of the app's start (ms). A first start generates keys and a data folder. */
const OPEN_TIMEOUT_MS = 60_000;

export interface OpenAppOptions {
  /** The app's data folder. If it is empty, the app starts for the first time. */
  readonly dataFolder: string;
  /** Further switches, such as `--theme=dark`. */
  readonly switches?: readonly string[];
  /** Environment variables in addition to those of this process. Undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface OpenApp {
  readonly electron: ElectronApplication;
  readonly window: Page;
}

/**
 * Opens the built app (`npm run build`) in the installed Electron. Waits until the embedded master runs and the
 * window shows the master's data. Needs a display. The caller closes `electron`.
 *
 * @throws Error if the app does not open; the app and its master have ended then
 */
export async function openApp({ dataFolder, switches = [], env = {} }: OpenAppOptions): Promise<OpenApp> {
  const electron = await _electron.launch({
    executablePath: electronExecutable(),
    args: [root, ...machineSwitches(), `--data=${dataFolder}`, ...switches],
    env: appEnvironment({ ...process.env, ...env }),
    timeout: OPEN_TIMEOUT_MS,
  });
  try {
    const window = await electron.firstWindow({ timeout: OPEN_TIMEOUT_MS });
    await window.waitForSelector('html[data-live="true"]', { state: 'attached', timeout: OPEN_TIMEOUT_MS });
    return { electron, window };
  } catch (error) {
    await electron.close();
    throw error;
  }
}

/**
 * Sends a request to the app's main process through the window's own bridge.
 *
 * @throws Error with the code and message of the app's error
 */
export async function askApp<R extends Exclude<RequestName, 'files.planDrop'>>(
  window: Page,
  name: R,
  params: RequestParams<R>,
): Promise<RequestResult<R>> {
  const answer = await window.evaluate<unknown, [string, unknown]>(
    ([request, values]) => {
      const page = globalThis as { overworld?: { request(name: string, params: unknown): Promise<unknown> } };
      if (page.overworld === undefined) throw new Error('the page has no bridge');
      return page.overworld.request(request, values);
    },
    [name, params],
  );
  const reply = replySchema.parse(answer);
  if (!reply.ok) throw new Error(`${name}: ${reply.error.code}: ${reply.error.message}`);
  return requests[name].result.parse(reply.value) as RequestResult<R>;
}
