import type { AdminMaster } from '#test/support/master/admin-master.ts';
import { askApp, type OpenApp } from '#test/support/app/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';

/**
 * Connects a running app to another master as a person does on the Connections screen: authorizes the app's key,
 * then compares and trusts the host key.
 */
export async function connectApp({ electron, window }: OpenApp, master: AdminMaster): Promise<void> {
  const { publicKey } = await askApp(window, 'app.info', {});
  await master.keys.add({ name: 'app', role: 'owner', publicKey });
  const { host, port } = master.server;
  const draft = { name: 'crowd', host, port };
  const profile = await askApp(window, 'connections.save', { id: null, draft });
  // The app trusts only a key that it received from the master and that is confirmed in its own message box.
  await askApp(window, 'connections.test', { id: profile.id, draft });
  await electron.evaluate(({ dialog }) => {
    dialog.showMessageBox = (...args: unknown[]) => {
      const { buttons } = args.at(-1) as { readonly buttons: readonly string[] };
      const response = buttons.findIndex((button) => button.startsWith('Trust'));
      return Promise.resolve({ response, checkboxChecked: false });
    };
  });
  await askApp(window, 'connections.trust', { id: profile.id, hostKey: master.hostKey.fingerprint });
  // The page is reloaded for the other master, so this call never gets a response.
  await askApp(window, 'connections.use', { id: profile.id }).catch(() => undefined);
  const isThere = async (): Promise<boolean> => {
    const link = await askApp(window, 'link.get', {}).catch(() => null);
    return link?.status === 'connected' && link.name === 'crowd';
  };
  await waitFor(isThere, { timeoutMs: 30_000, what: 'the app to be connected to the crowded master' });
  await window.waitForSelector('html[data-live="true"]', { state: 'attached' });
}
