/**
 * True for the names of half-written uploads, which are no part of a template: `.overworld-…` (our SFTP browser),
 * `….part` and `….filepart` (what FileZilla, WinSCP and others call them until they are complete).
 */
export function isUploadInProgress(name: string): boolean {
  return isOwnTemporary(name) || /\.(?:file)?part$/i.test(name);
}

/** True for the temporary names that are our own: nobody else calls a file so, and it is never anybody's content. */
export function isOwnTemporary(name: string): boolean {
  return name.startsWith('.overworld-');
}
