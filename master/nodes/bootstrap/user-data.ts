import { bootstrapScript, SCRIPT_PATH } from './script.ts';
import { SSHD_CONFIG, sshdConfig } from './sshd-config.ts';

/** The provider's limit for user data (bytes). */
export const MAX_USER_DATA_BYTES = 32_768;

/** Key pair in OpenSSH's format. */
export interface KeyPair {
  readonly private: string;
  /** Public key as one line, as in `id_ed25519.pub`. */
  readonly public: string;
}

export interface UserData {
  /**
   * First host key of the node. Everyone with access to the provider's project can read this key in the user data,
   * so it is replaced at the first contact.
   */
  readonly hostKey: KeyPair;
  /**
   * Public key line of the master. Root can log in with this key, and with the SSH keys of the provider's project.
   */
  readonly masterKey: string;
  readonly sshPort: number;
}

/**
 * Returns the user data of a new node: a cloud-config document in JSON, which is also valid YAML. The host key and
 * sshd's configuration are in place before sshd starts for the first time; the script (script.ts) runs at the end
 * of the boot. The only secret in the document is the first host key, which is replaced at the first contact.
 */
export function renderUserData({ hostKey, masterKey, sshPort }: UserData): string {
  const script = bootstrapScript(sshPort);
  const document = {
    // The image's default user is not created; root logs in with the keys of the project and the master.
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
