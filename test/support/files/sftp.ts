import type { Client, SFTPWrapper } from 'ssh2';

export function openSftp(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => {
      if (error === undefined) resolve(sftp);
      else reject(error);
    });
  });
}

/** Returns the SFTP status with which a request was refused, or 0 if it succeeded. Throws all other errors. */
export async function statusOf(request: Promise<unknown>): Promise<number> {
  try {
    await request;
    return 0;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== 'number') throw error;
    return code;
  }
}

type Done<T> = (error?: Error | null, value?: T) => void;

/** Runs a function that takes a callback, and returns its result as a promise. */
export function call<T = void>(run: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, value) => {
      if (error) reject(error);
      else resolve(value as T);
    });
  });
}
