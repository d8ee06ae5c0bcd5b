/** Joins a folder and a name on the master. Always uses slashes. */
export function joinRemote(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}
