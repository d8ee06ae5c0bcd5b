import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { call, openSftp } from '../files/sftp.ts';
import { waitFor } from '../wait-for.ts';
import { repeat, type Fault } from './faults.ts';

const MB = 1_048_576;

/** Folder for uploads in `templates/`, in which the faults are allowed to write. */
export const UPLOADS = { files: /^templates\/uploads\// };

/** A man in the middle between the master and its nodes first presents another host key, and then changes bytes. */
export const betweenMasterAndNodes: Fault = {
  name: 'a man in the middle stands between the master and its nodes',
  async run(network, moment) {
    await network.waitUntilReady();
    const { nodes } = network;
    const deceived = (): number => nodes.reduce((sum, { relay }) => sum + relay.deceived, 0);
    const flipped = (): number => nodes.reduce((sum, { relay }) => sum + relay.flipped, 0);
    const [deceivedBefore, flippedBefore] = [deceived(), flipped()];
    const become = (mode: 'imposter' | 'flip' | 'pass'): void => {
      for (const { relay } of nodes) relay.become(mode);
    };
    become('imposter');
    await waitFor(() => deceived() > deceivedBefore, { what: 'the master to meet the other host key' });
    become('flip');
    await waitFor(() => flipped() > flippedBefore, { what: 'bytes to be changed' });
    await repeat(moment, 3_000, () => become(moment.chance.pick(['imposter', 'flip', 'pass'])));
    become('pass');
    expect(nodes.map((node) => node.imposterLogins())).toEqual(nodes.map(() => 0));
    return `${deceived() - deceivedBefore} connections with another host key, ${flipped() - flippedBefore} changed bytes`;
  },
};

/**
 * A man in the middle between the plugins and the master first presents another certificate, and then changes bytes.
 */
export const betweenPluginsAndMaster: Fault = {
  name: 'a man in the middle stands between the plugins and the master',
  async run({ link, deceived }, moment) {
    const before = { deceived: link.deceived, flipped: link.flipped };
    link.become('imposter');
    await waitFor(() => link.deceived > before.deceived, { what: 'a plugin to meet the other certificate' });
    link.become('flip');
    await waitFor(() => link.flipped > before.flipped, { what: 'bytes to be changed' });
    await repeat(moment, 3_000, () => link.become(moment.chance.pick(['imposter', 'flip', 'pass'])));
    link.become('pass');
    expect(Buffer.concat(deceived).toString()).toBe('');
    return `${link.deceived - before.deceived} connections with another certificate, ${link.flipped - before.flipped} changed bytes`;
  },
};

/** A man in the middle changes bytes of uploads. The stored file must be the beginning of the file that was sent. */
export const betweenAdminAndMaster: Fault = {
  name: 'a man in the middle changes bytes of uploads over SFTP',
  allowed: UPLOADS,
  async run(network, moment) {
    const { admin, people, data } = network;
    const before = admin.flipped;
    const content = Buffer.alloc(MB, 'content ');
    const path = join(data, 'templates', 'uploads', 'in-the-middle.txt');
    admin.become('flip');
    let broken = 0;
    await repeat({ ...moment, isOver: () => moment.isOver() && broken > 0 }, 50, async () => {
      const client = await network.logIn(people.files, { port: admin.port }).catch(() => null);
      if (client === null) {
        broken += 1;
        return;
      }
      client.on('error', () => (broken += 1));
      const ended = new Promise<void>((resolve) => client.on('close', () => resolve()));
      const upload = async (): Promise<void> => {
        const sftp = await openSftp(client);
        await call((done) => sftp.writeFile('/templates/uploads/in-the-middle.txt', content, done));
      };
      await Promise.race([upload().catch(() => undefined), ended]);
      client.end();
      if (!existsSync(path)) return;
      const stored = await readFile(path);
      expect(content.subarray(0, stored.length).equals(stored)).toBe(true);
    });
    admin.become('pass');
    expect(admin.flipped).toBeGreaterThan(before);
    return `${admin.flipped - before} changed bytes, ${broken} broken connections`;
  },
};
