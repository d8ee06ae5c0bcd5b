import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabNode } from './node.ts';

/** Commands to run on each running machine. The key is the name of the file for the command's output. */
const questions = {
  journal: 'journalctl --no-pager -o short-precise -n 2000',
  'cloud-init': 'cat /var/log/cloud-init-output.log; cloud-init status --long',
  units: "systemctl list-units --all 'overworld*'; systemctl --failed; ls -lR /var/lib/overworld | head -300",
  network: 'ip address; ss -lntup',
} as const;

/**
 * Stores the data needed to find out why a test failed, and prints its path. Called before the nodes are removed.
 *
 * @param texts further files, by name
 */
export async function keepEvidence(
  test: string,
  nodes: readonly LabNode[],
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const slug = test
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  const folder = join(import.meta.dirname, '..', '..', '..', 'test-results', 'lab', slug);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  for (const node of nodes) {
    writeFileSync(join(folder, `${node.name}-console.log`), node.console);
    for (const [name, command] of node.up ? Object.entries(questions) : []) {
      const { stdout, stderr } = await node.run(command, { timeoutMs: 10_000 });
      writeFileSync(join(folder, `${node.name}-${name}.log`), stdout + stderr);
    }
  }
  process.stderr.write(`evidence of the failure: ${folder}\n`);
}
