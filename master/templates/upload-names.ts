/**
 * True for the names of half-written uploads, which are no part of a template: `.overworld-…` (our SFTP browser),
 * `….part` and `….filepart` (what FileZilla, WinSCP and others call them until they are complete).
 */
export function isUploadInProgress(name: string): boolean {
  return name.startsWith('.overworld-') || /\.(?:file)?part$/i.test(name);
}
