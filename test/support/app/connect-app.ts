import { waitFor } from '../wait-for.ts';
import { askApp, type OpenApp } from './open-app.ts';

/** Maximum time until the app is connected (ms). */
const CONNECT_TIMEOUT_MS = 120_000;

/** Master to which the app can be connected. */
export interface MasterToConnect {
  /** Name of the connection in the app. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Fingerprint of the master's host key. */
  readonly hostKey: string;
  /** Authorizes the app's public key as an owner. */
  authorize(publicKey: string): Promise<unknown>;
}

/**
 * Connects a running app to another master as a person does on the Connections screen: authorizes the app's key, and
 * then trusts the master's host key.
 */
export async function connectApp({ electron, window }: OpenApp, master: MasterToConnect): Promise<void> {
  const { name, host, port, hostKey } = master;
  const { publicKey } = await askApp(window, 'app.info', {});
  await master.authorize(publicKey);
  const draft = { name, host, port };
  const profile = await askApp(window, 'connections.save', { id: null, draft });
  // The app trusts a host key only if the master has sent it and if a person confirms it in the app's message box.
  await askApp(window, 'connections.test', { id: profile.id, draft });
  await electron.evaluate(({ dialog }) => {
    dialog.showMessageBox = (...args: unknown[]) => {
      const { buttons } = args.at(-1) as { readonly buttons: readonly string[] };
      const response = buttons.findIndex((button) => button.startsWith('Trust'));
      return Promise.resolve({ response, checkboxChecked: false });
    };
  });
  await askApp(window, 'connections.trust', { id: profile.id, hostKey });
  // This call never gets a response, because the page is reloaded for the other master.
  await askApp(window, 'connections.use', { id: profile.id }).catch(() => undefined);
  const isThere = async (): Promise<boolean> => {
    const link = await askApp(window, 'link.get', {}).catch(() => null);
    return link?.status === 'connected' && link.name === name;
  };
  await waitFor(isThere, { timeoutMs: CONNECT_TIMEOUT_MS, what: `the app to be connected to ${name}` });
  await window.waitForSelector('html[data-live="true"]', { state: 'attached' });
}
