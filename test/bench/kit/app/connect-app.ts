import { connectApp as connectTo } from '#test/support/app/connect-app.ts';
import type { OpenApp } from '#test/support/app/open-app.ts';
import type { AdminMaster } from '#test/support/master/admin-master.ts';

/** Connects a running app to a master with a crowd of services. */
export async function connectApp(app: OpenApp, { server, hostKey, keys }: AdminMaster): Promise<void> {
  const { host, port } = server;
  const authorize = (publicKey: string) => keys.add({ name: 'app', role: 'owner', publicKey });
  await connectTo(app, { name: 'crowd', host, port, hostKey: hostKey.fingerprint, authorize });
}
