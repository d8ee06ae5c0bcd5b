import { hasUnbalancedBraces } from '../text/path-glob.ts';
import type { MasterConfig } from './master.ts';
import { AUTO_JAVA } from './start-up.ts';
import type { TemplateConfig } from './template.ts';

/** A valid configuration value that is probably a mistake. The configuration is saved and used nevertheless. */
export interface ConfigWarning {
  /** The field at which the warning is shown. */
  readonly field: string;
  /** Complete sentences that name fields and values. */
  readonly message: string;
}

/** Facts about the files in a template's folder that matter for the choice of Java. */
export interface JavaFiles {
  /** Oldest Java (feature version) that starts `server.jar`; null if unknown. */
  readonly needsJava: number | null;
  /** Whether the folder contains its own Java, so that the setting `java` has no effect. */
  readonly bringsJava: boolean;
}

type Checked = Pick<
  TemplateConfig,
  'minimumRunningServers' | 'maximumOnlineServers' | 'isProxy' | 'joinPermission' | 'java' | 'persistentPaths'
>;

/**
 * Returns the warnings about a valid template configuration. Form, JSON view and command line all show this list.
 *
 * @param files facts about the template's files; undefined if they are unknown
 */
export function templateWarnings(config: Checked, files?: JavaFiles): readonly ConfigWarning[] {
  return [
    ...scalingWarnings(config),
    ...persistenceWarnings(config),
    ...permissionWarnings(config),
    ...(files === undefined ? [] : javaWarnings(config, files)),
  ];
}

/** Returns the warnings about a valid master configuration. Some warnings also depend on the existing templates. */
export function masterWarnings(
  { max_online_players: limit }: Pick<MasterConfig, 'max_online_players'>,
  templates: readonly Pick<TemplateConfig, 'isProxy'>[],
): readonly ConfigWarning[] {
  if (templates.length === 0 || templates.some(({ isProxy }) => isProxy)) return [];
  const message = `max_online_players is ${limit}, but no template is a proxy (isProxy). Only proxies enforce the limit, so it has no effect.`;
  return [{ field: 'max_online_players', message }];
}

function persistenceWarnings({ persistentPaths }: Checked): readonly ConfigWarning[] {
  const unbalanced = persistentPaths.filter(hasUnbalancedBraces);
  if (unbalanced.length === 0) return [];
  const paths = unbalanced.map((path) => `"${path}"`).join(' and ');
  const message = `persistentPaths contains ${paths}, with a brace that has no counterpart. Such a brace stands for itself. A pattern such as "world_{nether,the_end}/" is one path.`;
  return [{ field: 'persistentPaths', message }];
}

function permissionWarnings({ isProxy, joinPermission }: Checked): readonly ConfigWarning[] {
  if (!isProxy || joinPermission === '') return [];
  const message = `joinPermission is "${joinPermission}", but the template is a proxy (isProxy). Permissions are checked when a player joins a game server, so it has no effect on the proxy.`;
  return [{ field: 'joinPermission', message }];
}

function javaWarnings({ java }: Checked, { needsJava, bringsJava }: JavaFiles): readonly ConfigWarning[] {
  if (java === AUTO_JAVA || needsJava === null || bringsJava || Number(java) >= needsJava) return [];
  const message = `java is "${java}", but server.jar needs Java ${needsJava} or newer: its services can start on no node. Set java to "${AUTO_JAVA}" or "${needsJava}".`;
  return [{ field: 'java', message }];
}

function scalingWarnings({
  minimumRunningServers: minimum,
  maximumOnlineServers: maximum,
}: Checked): readonly ConfigWarning[] {
  if (maximum === 0) {
    const message = 'maximumOnlineServers is 0, so no service of this template starts.';
    return [{ field: 'maximumOnlineServers', message }];
  }
  if (maximum === -1 || minimum <= maximum) return [];
  const message = `minimumRunningServers is ${minimum}, but maximumOnlineServers is ${maximum}: the minimum cannot be reached, because at most ${maximum} ${maximum === 1 ? 'service is' : 'services are'} online.`;
  return [{ field: 'minimumRunningServers', message }];
}
