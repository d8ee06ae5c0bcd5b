/* eslint-disable @typescript-eslint/no-deprecated -- the asynchronous successors do not exist in the oldest Electron we run on */
import { safeStorage } from 'electron';
import type { Sealer } from './app-key.ts';

/**
 * Returns the system's encryption for this user (Keychain, DPAPI, libsecret, KWallet), or null if there is none. Also
 * returns null on Linux without a keyring, because Chromium would use a fixed password (`basic_text`), which protects
 * nothing.
 */
export function systemSealer(): Sealer | null {
  if (!safeStorage.isEncryptionAvailable()) return null;
  const name = process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : process.platform;
  if (name === 'basic_text') return null;
  return {
    name,
    seal: (text) => safeStorage.encryptString(text),
    unseal: (data) => safeStorage.decryptString(data),
  };
}
