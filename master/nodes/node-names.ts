/**
 * Names of users and folders on a node. They differ on the master's own machine, where the user `overworld` and the
 * folder `/var/lib/overworld` belong to the master (docs/adr/0051).
 */
export interface NodeNames {
  /**
   * User, and group of the same name, which owns no files. Proxies run with this group, game servers with
   * `overworld-game`.
   */
  readonly user: string;
  /** Folder with the files of services. */
  readonly data: string;
  /**
   * Folders of the master, which services must not see. Null if the node is not the master's own machine. On the
   * master's own machine, services also cannot connect to the SSH ports, and a user for services is created only when
   * a service first needs it.
   */
  readonly masterFolders: readonly string[] | null;
}

/** Names on a node that is not the master's own machine. */
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
