import { existsSync, readdirSync } from 'node:fs';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { MasterLink } from '../connections/link.ts';
import { addressOf } from '../connections/ssh.ts';
import type { Log } from '../log.ts';
import type { SettingsFile } from '../vault/settings.ts';
import { EmbeddedMaster } from './embedded-master.ts';
import { decideOnHostKey } from './host-key-pin.ts';
import { forkMaster } from './master-child.ts';

/** Under which the embedded master's host key is pinned in the settings. */
const PIN_NAME = 'embedded';

interface EmbeddedLinkOptions {
  /** The bundled master's entry file. */
  readonly entry: string;
  readonly dataFolder: string;
  /** This app's key, one line: the master's owner. */
  readonly publicKey: string;
  readonly link: MasterLink;
  readonly settings: SettingsFile;
  readonly log: Log;
  readonly writeLog: (text: string) => void;
}

/** Runs the bundled master and leads the link to wherever it listens, as to a remote one. */
export function runEmbeddedMaster(options: EmbeddedLinkOptions): EmbeddedMaster {
  const { entry, dataFolder, publicKey, link, settings, log } = options;
  let folderWasNew = false;
  const master = new EmbeddedMaster({
    log,
    writeLog: options.writeLog,
    fork: () => {
      folderWasNew = isNew(dataFolder);
      return forkMaster(entry, [
        'run',
        ...['--data', dataFolder],
        ...['--ssh-host', '127.0.0.1'],
        ...['--ssh-port', '0'],
        ...['--owner-key', publicKey],
        '--announce',
      ]);
    },
    onReady: ({ host, port, hostKey }) => {
      const decision = decideOnHostKey(hostKey, settings.data.pins[PIN_NAME] ?? null, folderWasNew);
      if (decision.kind === 'refuse') {
        const address = addressOf({ host, port });
        const details = { address, expected: decision.expected, found: hostKey };
        link.refuse(address, new OverworldError('HOST_KEY_CHANGED', details));
        return;
      }
      if (decision.pin) {
        settings.update({ pins: { ...settings.data.pins, [PIN_NAME]: hostKey } }).catch((error: unknown) => {
          log.error({ err: error }, 'the host key could not be pinned');
        });
      }
      link.connect({ host, port, pin: hostKey });
    },
    onDown: (error) => link.lose(toWire(error)),
  });
  master.start();
  return master;
}

function isNew(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}
