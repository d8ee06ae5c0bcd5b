import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MasterProcess, masterProgram } from '#test/support/master/master-process.ts';
import { SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Script that defines `_get_comp_words_by_ref` and other functions. */
const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';

async function run(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [await masterProgram(), ...args]);
  return stdout;
}

/** Returns the completions of the Tab key after these words. The last word is incomplete. */
async function offers(...words: readonly string[]): Promise<string[]> {
  const lines = (await run('complete', '--', ...words)).trim().split('\n');
  expect(lines.pop()).toMatch(/^:\d+$/);
  return lines.map((line) => line.split('\t')[0] ?? '');
}

it('shell completion offers commands, options and their values', async () => {
  expect(await offers('ser')).toEqual(['service']);
  expect(await offers('service', '')).toEqual(
    expect.arrayContaining(['list', 'start', 'stop', 'kill', 'restart', 'console', 'logs']),
  );
  expect(await offers('service', 'stop', '--k')).toEqual(['--kill']);
  expect(await offers('keys', 'add', '--role', 'o')).toEqual(['operator', 'owner']);
  expect(await offers('comp')).toEqual(['completion']);
});

it('shell completion offers ids of templates and nodes only while the master is running', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_380, to: 27_389 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  const at = ['--data', master.data];
  expect(await offers('service', 'start', ...at, '')).toEqual(['lobby']);
  expect(await offers('service', 'list', ...at, '--template', 'l')).toEqual(['lobby']);
  expect(await offers('software', 'install', ...at, '')).toEqual(['lobby']);
  expect(await offers('software', 'update', ...at, 'l')).toEqual(['lobby']);
  expect(await offers('plan', ...at, '--template', '')).toEqual(['lobby']);
  expect(await offers('node', 'drain', ...at, 'loc')).toEqual(['local']);
  expect(await offers('service', 'start', '--data', temporaryFolder(), '')).toEqual([]);
  vi.stubEnv('OVERWORLD_DATA', master.data);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await offers('service', 'start', '')).toEqual(['lobby']);
  expect(await offers('service', 'start', '--data', temporaryFolder(), '')).toEqual([]);
});

it.each(['zsh', 'bash', 'fish'])('`completion` prints a script for %s', async (shell) => {
  const script = await run('completion', shell);
  expect(script).toContain('overworld-master complete --');
});

/** Puts the program into a folder in PATH. Returns an environment in which shells find the program. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const bin = join(temporaryFolder(), 'bin');
  mkdirSync(bin);
  symlinkSync(await masterProgram(), join(bin, 'overworld-master'));
  return { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

it.runIf(existsSync(BASH_COMPLETION))('the completion script works in bash', async () => {
  const script = `
    source ${BASH_COMPLETION}
    source <(overworld-master completion bash)
    compopt() { :; }
    COMP_WORDS=(overworld-master template sh); COMP_CWORD=2
    COMP_LINE='overworld-master template sh'; COMP_POINT=\${#COMP_LINE}
    __overworld_master_complete
    echo "\${COMPREPLY[@]}"`;
  const env = await environment();
  expect(execFileSync('bash', ['-c', script], { env, encoding: 'utf8' })).toBe('show\n');
});

it.runIf(existsSync('/usr/bin/zsh'))(
  'the completion script works in zsh, which loads it from a folder of functions',
  async () => {
    const functions = temporaryFolder();
    writeFileSync(join(functions, '_overworld-master'), await run('completion', 'zsh'));
    const result = join(functions, 'line');
    // This zsh starts a second zsh, types into it, and presses Tab. Ctrl+G then writes the line to a file.
    const script = `
    zmodload zsh/zpty
    zpty shell 'zsh -f -i'
    zpty -w shell 'PS1= fpath=(${functions} $fpath); autoload -Uz compinit; compinit -u -D'
    zpty -w shell 'keep() { print -r -- "$BUFFER" > ${result} }; zle -N keep; bindkey "^G" keep; print -r -- st""arted'
    zpty -r shell output '*started*'
    zpty -n -w shell $'overworld-master template sh\t'
    zpty -n -w shell $'\\C-g'
    repeat 600; do [[ -s ${result} ]] && break; sleep 0.1; done
    zpty -d shell`;
    execFileSync('zsh', ['-f', '-c', script], { env: await environment(), timeout: 90_000 });
    expect(readFileSync(result, 'utf8')).toBe('overworld-master template show \n');
  },
);

it.runIf(existsSync('/usr/bin/fish'))(
  'the completion script works in fish, which loads it from a folder of completions',
  async () => {
    const completions = temporaryFolder();
    writeFileSync(join(completions, 'overworld-master.fish'), await run('completion', 'fish'));
    const script = `set fish_complete_path ${completions}; complete -C 'overworld-master template sh'`;
    const env = { ...(await environment()), HOME: completions };
    const offered = execFileSync('fish', ['--no-config', '-c', script], { env, encoding: 'utf8' });
    expect(offered).toMatch(/^show\t[^\n]+\n$/);
  },
);
