import { masterConfigSchema } from '#shared/config/master.ts';
import { checkAddress } from '#master/doctor/link.ts';
import { DEFAULT_SSH_PORT, OPTIONS_FILE, withReachableSsh, withSshPort } from '../machine/options-file.ts';
import { changeFile } from '../machine/replace-file.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { readSshAddress } from '../machine/unit.ts';
import type { InstallSettings } from './settings.ts';

/** Settings that an admin has requested. Undefined keeps the existing value. */
interface Requested {
  /** New value of `communication.hostname`: an IP address. */
  readonly address: string | undefined;
  readonly sshPort: number | undefined;
}

/** Result of the step `configuration`. */
export interface Configured extends StepOutcome {
  /** `communication.hostname`. Null if the configuration is faulty. */
  readonly hostname: string | null;
  readonly sshPort: number;
  /** `communication.port`. */
  readonly linkPort: number;
}

/**
 * Changes `communication.hostname` and the port of the SSH server, each only if it was requested. If the hostname is an
 * IPv6 address, lets the SSH server listen on IPv6, too. The changes take effect when the master starts.
 *
 * @param isNew whether the configuration has just been created
 * @throws OverworldError CONFIG_FAULTY
 */
export async function configure(
  settings: InstallSettings,
  { address, sshPort }: Requested,
  isNew: boolean,
): Promise<Configured> {
  const communication = await settings.communication();
  const current = communication?.hostname ?? null;
  const isHostnameNew = address !== undefined && address !== current;
  if (isHostnameNew) await settings.setHostname(address);
  const hostname = address ?? current;
  const isSshNew = await changeFile(OPTIONS_FILE, (text) =>
    withReachableSsh(sshPort === undefined ? text : withSshPort(text, sshPort), hostname ?? ''),
  );
  const { port } = await readSshAddress();
  const where = port === DEFAULT_SSH_PORT ? '' : ` (${OPTIONS_FILE})`;
  return {
    status: isNew || isHostnameNew || isSshNew ? 'done' : 'unchanged',
    detail: `${hostnameSentence(hostname)} The SSH port is ${port}${where}.`,
    hostname,
    sshPort: port,
    linkPort: communication?.port ?? masterConfigSchema.parse({}).communication.port,
  };
}

function hostnameSentence(hostname: string | null): string {
  if (hostname === null) return 'The master configuration has mistakes; see: overworld-master check.';
  const { verdict, found, advice } = checkAddress(
    masterConfigSchema.parse({ communication: { hostname } }),
    0,
  );
  return verdict === 'ok' ? `communication.hostname is ${hostname}.` : [found, advice].join(' ');
}
