import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { requireValidConfig } from '#master/cli/install/haproxy.ts';
import { runProgram } from '#master/cli/machine/run-program.ts';
import { HAPROXY } from '#test/support/haproxy/haproxy-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const PROGRAM = fileURLToPath(new URL('../../../support/haproxy/check-as-user.ts', import.meta.url));

/** Debian's system user without rights (base-passwd). The tests use this user instead of the master's user. */
const USER = 'nobody';

/**
 * Writes a configuration of HAProxy that runs a command during its check.
 *
 * @returns the path of the configuration, and of the file with the command's output
 */
async function configWith(command: string): Promise<{ readonly config: string; readonly output: string }> {
  const folder = temporaryFolder();
  await chmod(folder, 0o777);
  const config = join(folder, 'haproxy.cfg');
  const output = join(folder, 'output');
  const program = join(folder, 'attack.lua');
  await writeFile(program, `os.execute(${JSON.stringify(`(${command}) > ${output} 2>&1`)})\n`);
  const text = `global\n\tlua-load ${program}\ndefaults\n\ttimeout connect 5s\n\ttimeout client 5s\n\ttimeout server 5s\n`;
  await writeFile(config, `${text}frontend one\n\tmode tcp\n\tbind 127.0.0.1:1\n`);
  return { config, output };
}

describe.skipIf(HAPROXY === null || process.getuid?.() !== 0)(
  '`install`, which checks the HAProxy file,',
  () => {
    it('runs programs in the file as the user of the master, not as root', async () => {
      const { config, output } = await configWith('id -un');
      await requireValidConfig(config, USER);
      expect((await readFile(output, 'utf8')).trim()).toBe(USER);
    });

    it('gives programs in the file no access to its terminal, where they could type commands as root', async () => {
      const { config, output } = await configWith('true < /dev/tty && echo open');
      // `script` runs a command in its own terminal, as an admin does.
      const command = [process.execPath, '--import', import.meta.resolve('tsx'), PROGRAM, config, USER].join(
        ' ',
      );
      const { code, stdout } = await runProgram('script', ['-qec', command, '/dev/null']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      expect(await readFile(output, 'utf8')).toContain('No such device or address');
    });
  },
);
