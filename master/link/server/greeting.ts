import { LINK_VERSION, type MasterMessage, type PluginMessage } from '#shared/link/messages.ts';
import { canRunOn, type ServiceKind } from '#shared/link/software.ts';
import type { ServiceId } from '#shared/model/service-id.ts';

export type Hello = Extract<PluginMessage, { type: 'hello' }>;
export type Refused = Extract<MasterMessage, { type: 'refused' }>;

/**
 * Whether the service of a connecting plugin runs (`alive`) or has exited (`gone`). `unknown`: the link does not know
 * the service, because the control loop has not reported it yet.
 */
export type Standing = 'alive' | 'gone' | 'unknown';

interface Gate {
  readonly isTokenOf: (service: ServiceId, token: string) => boolean;
  readonly standingOf: (service: ServiceId) => Standing;
  /** Returns the kind of a service. Undefined if the service does not run. */
  readonly kindOf: (service: ServiceId) => ServiceKind | undefined;
  /**
   * Reports whether the service may connect now, because it has not connected too often. Called only if all other
   * checks have passed.
   */
  readonly mayGreet: () => boolean;
}

/**
 * Decides whether to reject a plugin's greeting. The token is checked first, so that a sender without a valid token
 * learns nothing from the answer.
 *
 * @returns the rejection to send to the plugin; null if the greeting is accepted
 */
export function refuse(hello: Hello, gate: Gate): Refused | null {
  if (!gate.isTokenOf(hello.service, hello.token)) {
    return refused(
      'token',
      `The token does not belong to ${hello.service}, or was issued by another master.`,
    );
  }
  if (hello.version !== LINK_VERSION) {
    return refused(
      'version',
      `The plugin in ${hello.service} uses version ${hello.version} of the plugin link, the master version ${LINK_VERSION}. Services that start from now on get the matching plugin.`,
    );
  }
  switch (gate.standingOf(hello.service)) {
    case 'alive': {
      const kind = gate.kindOf(hello.service);
      if (kind !== undefined && !canRunOn(hello.platform, kind))
        return refused('platform', notThat(hello, kind));
      return gate.mayGreet() ? null : refused('busy', `${hello.service} has connected too often.`);
    }
    case 'gone':
      return refused('token', `${hello.service} is no longer a service of this network.`);
    case 'unknown':
      return refused('starting', 'The master does not know this service yet.');
  }
}

/** Explains in one sentence why the plugin's platform does not match the service. */
function notThat({ service, platform }: Hello, { isProxy, family }: ServiceKind): string {
  const what = isProxy
    ? `a proxy according to its template, and its server.jar is of the kind '${family}'`
    : 'no proxy';
  return `The plugin in ${service} reports that it runs on '${platform}', but ${service} is ${what}.`;
}

function refused(why: Refused['why'], message: string): Refused {
  return { type: 'refused', why, message };
}
