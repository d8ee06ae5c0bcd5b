import type { AppIdentity } from '#main/vault/identity.ts';
import { join } from 'node:path';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Connection, Link } from '#shared/ipc/contract.ts';
import { Connections, type EmbeddedSwitch } from '#main/connections/connections.ts';
import { MasterLink } from '#main/connections/link.ts';
import { openSettings } from '#main/vault/settings.ts';
import { UnsavedTexts } from '#main/window/unsaved.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });

/** Creates the app's connections and its link to a master, with settings stored in a file. */
export async function openConnections(
  identity: AppIdentity,
  path = join(temporaryFolder(), 'settings.json'),
) {
  const settings = await openSettings(path, log);
  /** Simulated person: whether the person confirms a key, and what happens while the app waits for the answer. */
  const person = { confirms: true, meanwhile: (): Promise<unknown> => Promise.resolve() };
  const said: { links: Link[]; switches: number; others: string[]; embedded: string[]; asked: string[] } = {
    links: [],
    others: [],
    asked: [],
    switches: 0,
    embedded: [],
  };
  const embedded: EmbeddedSwitch = {
    enter: () => said.embedded.push('enter'),
    leave: () => said.embedded.push('leave'),
    retry: () => said.embedded.push('retry'),
    restart: () => Promise.resolve(void said.embedded.push('restart')),
  };
  const link = new MasterLink({
    subject: { connection: 'embedded', kind: 'embedded', name: 'This computer' },
    identity,
    onChange: (state) => {
      said.links.push(state);
      connections.linkChanged(state);
    },
    onNotification: () => undefined,
  });
  onTestFinished(async () => {
    link.close();
    // Wait for running writes, because the folder of the settings is deleted next.
    await settings.update({});
  });
  const unsaved = new UnsavedTexts();
  const connections = new Connections({
    ...{ settings, link, embedded, identity, log, unsaved },
    ask: async (question) => {
      said.asked.push(`${question.message} ${question.detail}`);
      await person.meanwhile();
      return { confirmed: person.confirms, remember: false };
    },
    onChange: () => undefined,
    onSwitch: () => (said.switches += 1),
    onOtherMaster: (id) => said.others.push(id),
  });
  connections.start();
  const reach = (status: Link['status']) =>
    waitFor(() => link.link.status === status, { what: `the link to be ${status}` });
  const add = (name: string, { host, port }: { host: string; port: number }): Promise<Connection> =>
    connections.save(null, { name, host, port });
  /** Pins a host key without a question, as if a person had confirmed it earlier. */
  const pin = (id: string, hostKey: string) =>
    settings.update({
      connections: settings.data.connections.map((one) => (one.id === id ? { ...one, hostKey } : one)),
    });
  return { connections, link, said, person, settings, unsaved, reach, add, pin, path };
}
