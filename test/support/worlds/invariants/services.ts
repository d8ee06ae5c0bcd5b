import { isAvailable, isReady, isUp, type ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import { serviceNumber } from '#shared/model/service.ts';
import { each, isAskedToLeave, isCutOff, type Look } from '../look.ts';
import { servicesNeeded } from '../needs.ts';
import { standingOf } from '../standing.ts';
import type { Promised } from '../check.ts';

/** Guarantees about actions on services that no plan contains, in all networks. */
export const servicePromises: readonly Promised<Look>[] = [
  {
    says: 'never stops a service in use',
    breaches: ({ of, services }) =>
      each(
        of('stop'),
        ({ service }) => services.get(service)?.state === 'IN_USE' && !services.get(service)?.restarting,
        ({ service }) => service,
      ),
  },
  {
    says: 'never stops a paused service, and starts a paused service only if a person restarts it',
    breaches: ({ of, services }) =>
      each(
        [...of('start'), ...of('stop')],
        ({ kind, service }) => {
          const one = services.get(service);
          return one?.held === true && !(kind === 'start' && one.restarting);
        },
        ({ kind, service }) => `${kind} ${service}`,
      ),
  },
  {
    says: 'for a paused template that is not being deleted, requests and stops no services, and starts only services that a person requested',
    breaches: (look) => [
      ...each(
        look.of('stop'),
        ({ service }) => templateOf(look, service)?.held === true && !templateOf(look, service)?.leaving,
        ({ service }) => `stops ${service}`,
      ),
      ...each(
        look.of('start'),
        ({ service }) =>
          templateOf(look, service)?.held === true && look.services.get(service)?.manual === false,
        ({ service }) => `starts ${service}`,
      ),
      ...each(
        look.of('request'),
        ({ template }) => look.templates.get(template)?.held === true,
        ({ service }) => `requests ${service}`,
      ),
    ],
  },
  {
    says: 'never exceeds maximumOnlineServers through its own actions',
    breaches: ({ snapshot, of }) =>
      each(
        snapshot.templates,
        ({ id, config: { maximumOnlineServers: cap } }) => {
          const requests = of('request').filter(({ template }) => template === id).length;
          const existing = snapshot.services.filter(({ template }) => template === id).length;
          return cap !== -1 && requests > 0 && existing + requests > cap;
        },
        ({ id }) => id,
      ),
  },
  {
    says: 'does not stop a service that is being restarted, unless its template is being deleted',
    breaches: (look) =>
      each(
        look.of('stop'),
        ({ service }) => {
          const one = look.services.get(service);
          const template = templateOf(look, service);
          return one?.restarting === true && one.node !== null && template?.leaving === false;
        },
        ({ service }) => service,
      ),
  },
  {
    says: 'neither requests nor starts services of a template that is being deleted, and stops its unused services',
    breaches: (look) => {
      const stops = new Set(look.of('stop').map(({ service }) => service));
      return [
        ...each(
          look.of('request'),
          ({ template }) => look.templates.get(template)?.leaving === true,
          ({ service }) => `requests ${service}`,
        ),
        ...each(
          look.of('start'),
          ({ service }) => templateOf(look, service)?.leaving === true && !look.services.get(service)?.held,
          ({ service }) => `starts ${service}`,
        ),
        ...each(
          look.snapshot.services.filter(({ template }) => look.templates.get(template)?.leaving === true),
          (one) =>
            !one.held &&
            !one.stopping &&
            one.state !== 'IN_USE' &&
            !isCutOff(look, one) &&
            !stops.has(one.id),
          ({ id }) => `leaves ${id}`,
        ),
      ];
    },
  },
  {
    says: 'stops an unused service that must be replaced, or first waits for its replacement',
    breaches: (look) => {
      const stops = new Set(look.of('stop').map(({ service }) => service));
      const requests = new Set(look.of('request').map(({ template }) => template));
      return each(
        look.snapshot.services.filter(
          (one) => isReady(one) && isAskedToLeave(look, one) && !one.held && !isCutOff(look, one),
        ),
        (one) => {
          const template = look.templates.get(one.template);
          if (template === undefined || template.held || stops.has(one.id)) return false;
          const others = look.snapshot.services.filter(({ template: other }) => other === one.template);
          const moving = others.some(
            (other) => other.stopping || stops.has(other.id) || !isAvailable(other, look.snapshot.now),
          );
          return !moving && !requests.has(one.template) && !look.planned.unmet.has(one.template);
        },
        ({ id }) => id,
      );
    },
  },
  {
    says: 'immediately stops a service that must be replaced if the service is not running yet or does not answer',
    breaches: (look) => {
      const stops = new Set(look.of('stop').map(({ service }) => service));
      return look.snapshot.templates
        .filter(({ held, leaving }) => !held || leaving)
        .flatMap((template) => standingOf(template, look.snapshot).goes)
        .filter((one) => !isReady(one) && one.state !== 'IN_USE' && !one.held && !stops.has(one.id))
        .map(({ id }) => id);
    },
  },
  {
    says: 'stops a ready service only if it must be replaced, was unused for too long, or exceeds the maximum',
    breaches: (look) =>
      each(
        look.of('stop'),
        ({ service }) => {
          const one = look.services.get(service);
          const config = templateOf(look, service)?.config;
          if (one === undefined || config === undefined || !isReady(one) || !standsIn(look, one))
            return false;
          const { killUnusedTooManyServersAfter: after } = config;
          const isUnused = after !== -1 && look.snapshot.now - (one.unusedSince ?? Infinity) >= after;
          return !isUnused && excess(look, one.template) === 0;
        },
        ({ service }) => service,
      ),
  },
  {
    says: 'never goes below the minimum through its own actions, unless the maximum requires it',
    breaches: (look) =>
      each(
        look.snapshot.templates,
        ({ id, config, leaving }) => {
          const alive = look.snapshot.services.filter((one) => one.template === id && !isCutOff(look, one));
          const stops = new Set(look.of('stop').map(({ service }) => service));
          const before = alive.filter(isReady).length;
          const after = alive.filter((one) => isReady(one) && !stops.has(one.id)).length;
          const least = Math.min(before, config.minimumRunningServers) - excess(look, id);
          return after < least && !leaving && !isForRoom(look, id);
        },
        ({ id }) => id,
      ),
  },
  {
    says: 'requests exactly as many services as the minimum and the thresholds require',
    breaches: (look) =>
      look.snapshot.templates.flatMap((template) => {
        const count = look.of('request').filter((request) => request.template === template.id).length;
        const needed = servicesNeeded(template, look.snapshot);
        return count === needed ? [] : [`${template.id}: ${count} requests, ${needed} needed`];
      }),
  },
  {
    says: 'never stops a ready service if it requests another service of the same template',
    breaches: (look) =>
      each(
        look.of('stop'),
        ({ service }) => {
          const one = look.services.get(service);
          if (one === undefined || !isReady(one)) return false;
          // Do not count services that are lost or being replaced. Count services that will be replaced later.
          if (!standsIn(look, one)) return false;
          return look.of('request').some(({ template }) => template === one.template);
        },
        ({ service }) => service,
      ),
  },
  {
    says: 'stops or starts each service at most once, and ignores services that are already being stopped',
    breaches: ({ planned, services }) => {
      const touched = planned.actions.flatMap((action) => ('service' in action ? [action.service] : []));
      return [
        ...each(
          touched,
          (id) => services.get(id)?.stopping === true,
          (id) => `${id} is being stopped`,
        ),
        ...each(
          touched,
          (id) => touched.filter((other) => other === id).length > 1,
          (id) => `${id} twice`,
        ),
      ];
    },
  },
  {
    says: 'gives each request an unused number',
    breaches: ({ of, templates }) =>
      each(
        of('request'),
        ({ service, template }) => serviceNumber(service) < (templates.get(template)?.nextNumber ?? Infinity),
        ({ service }) => service,
      ),
  },
  {
    says: 'requests and starts services in the order of their priority, and older services first',
    breaches: (look) => {
      const priority = (template: string): number => look.templates.get(template)?.config.priority ?? 0;
      const starts = look.of('start').flatMap(({ service }) => look.services.get(service) ?? []);
      return [
        ...unsorted(look.of('request').map(({ template }) => priority(template))),
        ...unsorted(starts.map(({ template }) => priority(template))),
        ...look.snapshot.templates.flatMap(({ id }) =>
          unsorted(starts.filter(({ template }) => template === id).map(({ requestedAt }) => requestedAt)),
        ),
      ];
    },
  },
];

function templateOf({ services, templates }: Look, service: string) {
  return templates.get(services.get(service)?.template ?? '');
}

/**
 * Returns whether the rules count a service. They do not count services that are being replaced or stopped, or that
 * are lost.
 */
function standsIn(look: Look, one: ServiceSnapshot): boolean {
  const template = look.templates.get(one.template);
  return template !== undefined && standingOf(template, look.snapshot).stays.includes(one);
}

/**
 * Returns whether a stop in the plan is the only exception. If the maximum leaves no room to start a replacement
 * first, one service at a time may be stopped while all other services run.
 */
function isForRoom(look: Look, template: string): boolean {
  const cap = look.templates.get(template)?.config.maximumOnlineServers;
  const existing = look.snapshot.services.filter((one) => one.template === template);
  const stops = look.of('stop').flatMap(({ service }) => existing.find(({ id }) => id === service) ?? []);
  // A service on a lost node cannot be joined, and it makes room only when the node is deleted.
  const isStill = existing.every((one) => isUp(one) && !one.stopping && !isCutOff(look, one));
  return (
    existing.length === cap &&
    isStill &&
    stops.length === 1 &&
    stops.every((one) => isAskedToLeave(look, one) && !standsIn(look, one))
  );
}

/**
 * Returns the number of services above the maximum, for example after the maximum was lowered. These services must
 * stop, even if the minimum is higher.
 */
function excess({ snapshot, templates }: Look, template: string): number {
  const cap = templates.get(template)?.config.maximumOnlineServers ?? -1;
  const online = snapshot.services.filter((one) => one.template === template && !one.stopping).length;
  return cap === -1 ? 0 : Math.max(0, online - cap);
}

function unsorted(values: readonly number[]): string[] {
  return values.flatMap((value, i) =>
    value < (values[i - 1] ?? -Infinity) ? [`${value} after ${values[i - 1]}`] : [],
  );
}
