import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRunning } from '#test/support/is-running.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { quote, untilInputEnds } from '#shared/text/shell.ts';

it('quote() quotes any text so that sh passes it on unchanged', () => {
  // Pass all samples through one shell, because a shell per sample would take seconds. The samples contain no NUL,
  // which arguments of `sh` cannot contain.
  const samples = fc.sample(
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
    100,
  );
  const hostile = [
    '$(id)',
    '`id`',
    '"; id; "',
    "'; id; '",
    '\\',
    "\\'",
    '--',
    '-n',
    '\n',
    '* ? [a]',
    '~',
    '!',
  ];
  const all = [...samples.filter((text) => text.isWellFormed()), ...hostile];
  const script = all.map((text) => `printf '%s\\0' ${quote(text)}`).join('\n');
  const printed = execFileSync('sh', ['-c', script]).toString().split('\0');
  expect(printed.slice(0, -1)).toEqual(all);
});

it('quote() can quote a command that already contains quoted text', () => {
  const inner = `printf %s ${quote("it's $HOME")}`;
  expect(execFileSync('sh', ['-c', `sh -c ${quote(inner)}`]).toString()).toBe("it's $HOME");
});

/** Shells that Debian and Ubuntu use as `sh` or as the login shell of root. */
const shells = ['dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);

it.each(shells)(
  'untilInputEnds() stops a %s command with its child processes when the input ends',
  async (shell) => {
    const command = 'sleep 600 & echo $! $$; wait';
    const wrapper = spawn(shell, ['-c', untilInputEnds(command)]);
    const [line] = (await once(wrapper.stdout, 'data')) as [Buffer];
    const pids = line.toString().trim().split(' ').map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    wrapper.stdin.end();
    await once(wrapper, 'exit');
    await waitFor(() => !pids.some(isRunning), { what: 'the command and its child to end' });
  },
);

it.each(shells)(
  'untilInputEnds() returns the exit code of a %s command that ends before its input',
  async (shell) => {
    const wrapper = spawn(shell, ['-c', untilInputEnds("echo it\\'s; exit 7")]);
    const [line] = (await once(wrapper.stdout, 'data')) as [Buffer];
    const [status] = (await once(wrapper, 'exit')) as [number];
    expect([status, line.toString()]).toEqual([7, "it's\n"]);
  },
);
