import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Contact, ContactState } from '#master/nodes/contact.ts';
import { LostNodes } from '#master/nodes/lost-nodes.ts';
import { ownMachine, toLocalNode } from '#master/nodes/local/own-machine.ts';
import { OWN_MACHINE, REMOTE_NODE } from '#master/nodes/node-names.ts';
import { noShell } from '#master/nodes/shell.ts';
import { bootstrapScript } from '#master/nodes/bootstrap/script.ts';
import { toolSource } from '#master/runtime/systemd/tool-source.ts';

const access = { sshPort: 2122, hostKey: 'SHA256:a' };

const nodeIn = (state: ContactState | null, readyAt: number | null) => {
  const contact: Contact | undefined =
    state === null ? undefined : { state, shell: noShell('local'), hasJava: true, warning: null };
  return toLocalNode(ownMachine({ access, readyAt, ramMb: 4_096, since: 1 }), contact);
};

describe("the master's own machine as a node", () => {
  it('is reached at the loopback address with its known host key, and belongs to no provider', () => {
    expect(ownMachine({ access, readyAt: null, ramMb: undefined, since: 1 })).toMatchObject({
      ...{ node: 'local', address: '127.0.0.1', sshPort: 2122, hostKeys: ['SHA256:a'] },
    });
    expect(nodeIn({ kind: 'ready' }, 1)).toMatchObject({
      ...{ kind: 'local', state: 'READY', rental: null, location: null, ramMb: 4_096, silentSince: null },
    });
  });

  it('is BOOTING until it was ready once, and shows the current step', () => {
    expect(nodeIn({ kind: 'preparing', step: 'Installing Java.' }, null)).toMatchObject({
      ...{ state: 'BOOTING', note: 'Installing Java.', silentSince: null },
    });
    expect(nodeIn(null, null).state).toBe('BOOTING');
  });

  it('is never declared as lost', () => {
    const node = nodeIn({ kind: 'silent', since: 5, problem: 'x' }, 1);
    expect(node).toMatchObject({ state: 'READY', silentSince: 5, note: 'It cannot be reached: x.' });
    const lost = new LostNodes({ answers: () => false, clock: () => 1_000_000 });
    lost.judge([node], false);
    expect(lost.has('local')).toBe(false);
    lost.judge([{ ...node, unprepared: false }], false);
    expect(lost.has('local')).toBe(true);
  });
});

describe("the user names and folders of a node on the master's machine", () => {
  it('differ from the user and the folders of the master', () => {
    const { text } = bootstrapScript(22, OWN_MACHINE);
    expect(text).not.toMatch(/(passwd|nologin)\s+overworld(?!-node)|\/var\/lib\/overworld(?!-node)/);
    expect(text).not.toMatch(/sshd|chage|@[A-Z]+@/);
  });

  it("replace the names for cloud nodes in the source code of the node's tool", () => {
    const path = join(import.meta.dirname, '../../../../master/runtime/systemd/tool/machine/names.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(REMOTE_NODE);
    expect(JSON.parse(toolSource(OWN_MACHINE).files['machine/names.json'] ?? '')).toEqual(OWN_MACHINE);
    expect(toolSource(OWN_MACHINE).version).not.toBe(toolSource().version);
  });
});
