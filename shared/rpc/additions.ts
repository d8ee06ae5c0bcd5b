import type { MethodName } from './contract.ts';

/** A feature that was added to the admin API in a certain version. */
export interface Addition {
  /** First version of the admin API that has the feature. */
  readonly since: number;
  /**
   * Name of the feature as a noun phrase for the window, such as `moving the network to another server`. Null if
   * people do not notice the feature.
   */
  readonly what: string | null;
  /** Methods that an older master does not know. */
  readonly methods: readonly MethodName[];
}

/**
 * Features that each version of the admin API added. A test compares the methods with the recorded contract of the
 * version before. An entry stays as long as apps accept masters without the feature. It is removed when API_VERSION
 * is `since` + 1.
 */
const additions: readonly Addition[] = [
  // Only the command that upgrades the master calls this method.
  { since: 5, what: null, methods: ['master.readiness'] },
  { since: 5, what: 'the list of sessions', methods: ['sessions.list', 'sessions.end'] },
  {
    since: 5,
    what: 'servers of other networks',
    methods: ['nodes.foreign', 'nodes.deleteForeign'],
  },
  { since: 5, what: 'the set-up of the cloud provider', methods: ['provider.test', 'provider.preview'] },
  { since: 5, what: 'keys for certain templates', methods: ['keys.limit'] },
  { since: 5, what: 'creating a network in one step', methods: ['templates.createAll'] },
  {
    since: 5,
    what: 'the download of server software',
    methods: [
      'software.list',
      'software.versions',
      'software.builds',
      'software.download',
      'software.install',
      'software.updates',
    ],
  },
  {
    since: 5,
    what: 'volumes and their saves',
    methods: [
      'volumes.list',
      'volumes.saves',
      'volumes.compare',
      'volumes.save',
      'volumes.restore',
      'volumes.delete',
      'volumes.clone',
      'volumes.import',
      'volumes.attach',
    ],
  },
  {
    since: 5,
    what: 'files of services',
    methods: [
      'services.listFiles',
      'services.readFile',
      'services.keepCopy',
      'services.copyToTemplate',
      'services.keptFiles',
      'services.readKeptFile',
    ],
  },
  { since: 5, what: 'the state of backups', methods: ['backup.get'] },
  { since: 5, what: 'the security log', methods: ['security.list', 'security.verify'] },
];

/** Returns the feature to which a method belongs. Undefined if all masters that the app accepts know the method. */
export function additionOf(method: MethodName, all: readonly Addition[] = additions): Addition | undefined {
  return all.find(({ methods }) => methods.includes(method));
}

/** Returns the features that a master with the given version of the admin API lacks, in the words of the window. */
export function missingAt(apiVersion: number, all: readonly Addition[] = additions): readonly string[] {
  return all.flatMap(({ since, what }) => (since > apiVersion && what !== null ? [what] : []));
}
