/**
 * Names of users and folders on a node. They differ on the master's own machine, where the user `overworld` and the folder
 * `/var/lib/overworld` belong to the master (docs/adr/0051).
 */
export interface NodeNames {
  /** User and group without files of its own. Services have it as their group; game servers have `overworld-game`. */
  readonly user: string;
  /** Folder with the files of services. */
  readonly data: string;
  /**
   * Folders of the master, which services must not see. Null if the node is another machine than the master's. Otherwise
   * the node closes the SSH ports of this machine to services, too, and creates users of services only when needed.
   */
  readonly masterFolders: readonly string[] | null;
}

/** Names on a node that is a machine of its own. */
export const REMOTE_NODE: NodeNames = {
  user: 'overworld',
  data: '/var/lib/overworld',
  masterFolders: null,
};

/** Names on the master's own machine. */
export const OWN_MACHINE: NodeNames = {
  user: 'overworld-node',
  data: '/var/lib/overworld-node',
  masterFolders: ['/var/lib/overworld', '/var/lib/overworld-upgrade', '/etc/overworld-node', '/etc/haproxy'],
};
