/**
 * Returns whether a name is that of an incomplete upload, which is not part of a template: `.overworld-…`
 * (Overworld's SFTP browser), `….part` and `….filepart` (FileZilla, WinSCP and others).
 *
 * Example: `isUploadInProgress('server.jar.filepart')` is true.
 */
export function isUploadInProgress(name: string): boolean {
  return isOwnTemporary(name) || /\.(?:file)?part$/i.test(name);
}

/** Returns whether a name is that of one of Overworld's own temporary files, which never are a user's content. */
export function isOwnTemporary(name: string): boolean {
  return name.startsWith('.overworld-');
}
