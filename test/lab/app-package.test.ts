import { chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { appDeb, appDebFacts } from '../../build/scripts/packaging/app/app-deb.mjs';
import { buildApp } from '../../build/scripts/packaging/app/build-app.mjs';
import { buildDeb } from '../../build/scripts/packaging/deb/build-deb.mjs';
import { testResults } from '../../build/scripts/paths.mjs';
import { isPng } from '../../build/scripts/png.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Disk } from './kit/disk.ts';
import { nightly } from './kit/nightly.ts';
import { run } from './kit/run.ts';

/** Bare Debian that build/scripts/lab/make-app-image.sh makes. Only nightly runs prepare it. */
const image = nightly ? process.env['OVERWORLD_LAB_APP_IMAGE'] : undefined;

/** Time of the files in the package (Unix time, s). */
const DATE_S = 1_735_689_600;

/** Id of the user anna, the first one of the system. */
const ANNA = 1_000;

it.skipIf(image === undefined)(
  'the package of the app installs everything that the window needs on bare Debian, and can be removed',
  async () => {
    const made = temporaryFolder();
    await buildApp(['--linux', '--dir', `-c.directories.output=${made}`]);
    const disk = new Disk(temporaryFolder());
    disk.make(image ?? '', 4_096);
    onTestFinished(() => disk.remove());
    const content = await appDeb(join(made, 'linux-unpacked'));
    // Not compressed, because compression takes minutes.
    const options = { dateS: DATE_S, compression: 'none' } as const;
    await buildDeb(appDebFacts('amd64'), content, join(disk.root, 'root', 'overworld.deb'), options);

    const cookie = join(disk.root, 'home', 'anna', '.Xauthority');
    copyFileSync(process.env['XAUTHORITY'] ?? '', cookie);
    chownSync(cookie, ANNA, ANNA);
    mkdirSync(join(disk.root, 'tmp', '.X11-unix'), { recursive: true });

    /** Runs a command on the bare system, as root or as anna. @returns its output */
    const on = async (user: 'root' | 'anna', command: string): Promise<string> => {
      const number = process.env['DISPLAY'] ?? '';
      const { code, stdout, stderr } = await run(
        'systemd-nspawn',
        [
          ...['--quiet', '--directory', disk.root, '--register=no', '--keep-unit', '--as-pid2'],
          ...['--resolv-conf=off', '--timezone=off', '--link-journal=no', '--bind-ro=/tmp/.X11-unix'],
          ...[`--user=${user}`, `--setenv=DISPLAY=${number}`, '--setenv=DEBIAN_FRONTEND=noninteractive'],
          ...['sh', '-c', command],
        ],
        { timeoutMs: 600_000 },
      );
      expect(code, `${command}\n${stderr}${stdout}`).toBe(0);
      return stdout;
    };

    await on('root', 'cd /root && apt-get install -y ./overworld.deb');
    const missing = await on('root', 'ldd /usr/lib/overworld/overworld | grep "not found" || true');
    expect(missing).toBe('');
    expect(await on('root', 'dpkg --verify overworld')).toBe('');
    // Chromium's sandbox is on: anna is not root.
    await on('anna', 'overworld --screenshot=$HOME/window.png');
    const picture = join(disk.root, 'home', 'anna', 'window.png');
    expect(isPng(picture)).toBe(true);
    // Keep the picture, so that a person can look at it.
    copyFileSync(picture, join(testResults, 'app-package.png'));
    await on('root', 'apt-get remove -y overworld');
    await on('root', 'test ! -e /usr/lib/overworld && test ! -e /usr/bin/overworld');
  },
);
