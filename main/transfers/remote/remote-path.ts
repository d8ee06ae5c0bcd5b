/** A path on the master: always with slashes. */
export function joinRemote(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}
