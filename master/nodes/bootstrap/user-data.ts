import { bootstrapScript, SCRIPT_PATH } from './script.ts';
import { SSHD_CONFIG, sshdConfig } from './sshd-config.ts';

/** The provider takes no more, bytes. */
export const MAX_USER_DATA_BYTES = 32_768;

/** A key pair in OpenSSH's own forms. */
export interface KeyPair {
  readonly private: string;
  /** One line as in `id_ed25519.pub`. */
  readonly public: string;
}

export interface UserData {
  /** The node's first host key. It can be read here by whoever may see the project, so it is replaced at first contact. */
  readonly hostKey: KeyPair;
  /** The master's public key line, which may log in as root beside the project's own keys. */
  readonly masterKey: string;
  readonly sshPort: number;
}

/**
 * What a new node is told by its provider: a cloud-config document, written as JSON, which is YAML, too. Host key and
 * sshd's configuration are in place before sshd starts for the first time; the script (script.ts) does the rest as
 * the last thing at boot. Nothing in it is a lasting secret.
 */
export function renderUserData({ hostKey, masterKey, sshPort }: UserData): string {
  const script = bootstrapScript(sshPort);
  const document = {
    // The image's own first user is not made: root is who logs in, with the project's keys and the master's.
    users: [],
    disable_root: false,
    ssh_authorized_keys: [masterKey.trim()],
    ssh_pwauth: false,
    chpasswd: { expire: false },
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: hostKey.private, ed25519_public: hostKey.public.trim() },
    package_update: false,
    package_upgrade: false,
    write_files: [
      { path: SSHD_CONFIG, permissions: '0644', content: sshdConfig(sshPort) },
      { path: SCRIPT_PATH, permissions: '0755', content: script.text },
    ],
    runcmd: [['sh', SCRIPT_PATH]],
  };
  return `#cloud-config\n${JSON.stringify(document, null, 1)}\n`;
}
