/**
 * Returns whether a file name marks an incomplete upload. Such files are not part of a template: `.overworld-…`
 * (Overworld's SFTP browser), `….part` and `….filepart` (FileZilla, WinSCP and others), and `….1a2b3c4d.partial`
 * (rclone since 1.63).
 *
 * Example: `isUploadInProgress('server.jar.filepart')` is true.
 */
export function isUploadInProgress(name: string): boolean {
  return isOwnTemporary(name) || /\.(?:part|filepart|[0-9a-z]{8}\.partial)$/i.test(name);
}

/** Returns whether a file name marks one of Overworld's own temporary files. They never contain a user's content. */
export function isOwnTemporary(name: string): boolean {
  return name.startsWith('.overworld-');
}
