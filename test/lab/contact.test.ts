import { describe, expect, it, onTestFinished } from 'vitest';
import { makeBirth } from '#master/nodes/bootstrap/birth.ts';
import { makeKey, openContactStage, type ContactStage, type MachineFacts } from '../support/contact-stage.ts';
import { connects } from './kit/connects.ts';
import { testLab } from './kit/lab.ts';
import type { LabNode } from './kit/node.ts';

const SSH_PORT = 2222;

/** Boots a node as the provider would: with what it was ordered with, and nothing else. */
async function bornNode(): Promise<{ node: LabNode; key: string; facts: MachineFacts }> {
  const key = makeKey();
  const birth = makeBirth({ key, sshPort: SSH_PORT });
  const node = await testLab().boot({ userData: birth.userData });
  return { node, key, facts: { address: node.address, sshPort: SSH_PORT, hostKeys: [birth.hostKey] } };
}

function stageOf(...args: Parameters<typeof openContactStage>): ContactStage {
  const stage = openContactStage(...args);
  onTestFinished(() => stage.close());
  return stage;
}

describe('first contact', () => {
  it('makes a machine ready that knows nothing but its user_data', async () => {
    const { node, key, facts } = await bornNode();
    const stage = stageOf(facts, key);
    await stage.until('ready', 90_000);

    const { contact } = stage;
    expect(contact.hasJava).toBe(true);
    expect(contact.warning).toBeNull();
    expect(stage.masterAddresses()).toEqual(['10.99.0.1']);
    const said = await contact.shell.run(
      'hostname; id -u; getent passwd overworld; stat -c %a%U /var/lib/overworld',
    );
    expect(said.stdout.toString()).toMatch(
      /^node-\d+\n0\noverworld:x:\d+:\d+::\/var\/lib\/overworld:\/usr\/sbin\/nologin\n755root\n$/,
    );
    expect(await connects(node.address, 22)).toBe(false);
    expect(
      await node.must(
        'sshd -T | grep -E "^(maxsessions|passwordauthentication|permitrootlogin|port) " | sort',
      ),
    ).toBe(`maxsessions 64\npasswordauthentication no\npermitrootlogin without-password\nport ${SSH_PORT}`);
    expect(await node.must('getent passwd debian || echo none')).toBe('none');
  });

  it('replaces the host key that others may have read, and forgets it', async () => {
    const { node, key, facts } = await bornNode();
    const stage = stageOf(facts, key);
    await stage.until('ready', 90_000);

    const [first] = facts.hostKeys;
    const shown = await node.must(
      `ssh-keyscan -p ${SSH_PORT} 127.0.0.1 2>/dev/null | ssh-keygen -lf - | cut -d" " -f2`,
    );
    expect(shown).toMatch(/^SHA256:/);
    expect(shown).not.toBe(first);
    expect(stage.pinned).toEqual([[first, shown], [shown]]);
    expect(stage.machine().hostKeys).toEqual([shown]);
    expect(await node.must('ls /etc/ssh | grep host_')).toBe('overworld_host_key');
  });
});
