import { parseArgs } from 'node:util';
import { themeSchema, type Theme } from '#shared/ipc/contract.ts';

/** The app's own command-line switches. All other switches are Chromium's. */
export interface Switches {
  /** Folder for all data of the app. Null: the user's default folder. */
  readonly data: string | null;
  /** File to which the app saves a screenshot of the live dashboard. The app exits afterwards. */
  readonly screenshot: string | null;
  /** Size of the window's content (pixels). */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly theme: Theme | null;
  /** What happens to running services when the app quits. Null: the app asks the person. */
  readonly onQuit: 'stop' | 'keep' | null;
  /** Folder with the master's packages that the app installs on servers. Null: the app's own packages. */
  readonly packages: string | null;
}

/**
 * Parses the app's switches: `--data=DIR --screenshot=FILE --window=1280x800 --theme=dark --on-quit=keep
 * --packages=DIR`.
 *
 * @param args the command line without the executable
 * @throws Error with one sentence that names the switch and its allowed values
 */
export function parseSwitches(args: readonly string[]): Switches {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      screenshot: { type: 'string' },
      window: { type: 'string' },
      theme: { type: 'string' },
      'on-quit': { type: 'string' },
      packages: { type: 'string' },
    },
  });
  const theme = text('theme', values['theme']);
  if (theme !== null && !themeSchema.safeParse(theme).success) {
    throw new Error(`--theme must be one of ${themeSchema.options.join(', ')}, not "${theme}".`);
  }
  const onQuit = text('on-quit', values['on-quit']);
  if (onQuit !== null && onQuit !== 'stop' && onQuit !== 'keep') {
    throw new Error(`--on-quit must be "stop" or "keep", not "${onQuit}".`);
  }
  return {
    data: text('data', values['data']),
    screenshot: text('screenshot', values['screenshot']),
    size: parseSize(text('window', values['window'])),
    theme: theme === null ? null : themeSchema.parse(theme),
    onQuit,
    packages: text('packages', values['packages']),
  };
}

function text(name: string, value: string | boolean | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`--${name} needs a value, as in --${name}=….`);
}

function parseSize(size: string | null): Switches['size'] {
  if (size === null) return null;
  const match = /^(\d{3,5})x(\d{3,5})$/.exec(size);
  if (match === null) throw new Error(`--window must look like 1280x800, not "${size}".`);
  return { width: Number(match[1]), height: Number(match[2]) };
}
