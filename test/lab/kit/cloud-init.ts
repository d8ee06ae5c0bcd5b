import type { Disk } from './disk.ts';

/** What a provider tells a machine about itself at its first boot. */
export interface Seed {
  /** As given to the provider, to the letter. */
  readonly userData: string;
  readonly hostname: string;
  /** The provider's own SSH keys that were named in the order: root's, as OpenSSH writes them. */
  readonly sshKeys: readonly string[];
}

/** Gives a machine what the provider's metadata service would; cloud-init then does the real work. */
export function plantSeed(disk: Disk, seed: Seed): void {
  const folder = 'var/lib/cloud/seed/nocloud';
  const metaData = {
    'instance-id': `lab-${seed.hostname}`,
    'local-hostname': seed.hostname,
    'public-keys': seed.sshKeys,
  };
  disk.write(`${folder}/user-data`, seed.userData);
  // JSON is YAML, too.
  disk.write(`${folder}/meta-data`, JSON.stringify(metaData));
}

/** A machine without cloud-init: up in half the time, reachable with the given keys. */
export function plantKeys(disk: Disk, hostname: string, sshKeys: readonly string[]): void {
  disk.write('etc/cloud/cloud-init.disabled', '');
  disk.write('etc/hostname', `${hostname}\n`);
  disk.write('etc/hosts', `127.0.0.1 localhost\n127.0.1.1 ${hostname}\n`);
  if (sshKeys.length > 0)
    disk.write('root/.ssh/authorized_keys', sshKeys.map((key) => `${key}\n`).join(''), 0o600);
}
