import type { TypedInstall } from './draft.ts';

/**
 * Returns the options of an installation in one line: `Port 2022, opens the ports in the firewall, without HAProxy`.
 * For a move, omits the port and the services.
 */
export function toOptionsLine({
  masterPort,
  hostname,
  openPorts,
  haproxy,
  services,
}: Pick<TypedInstall, 'hostname' | 'openPorts' | 'haproxy'> & {
  readonly masterPort?: string;
  readonly services?: boolean;
}): string {
  const line = [
    ...(masterPort === undefined ? [] : [`port ${masterPort.trim() === '' ? '–' : masterPort.trim()}`]),
    ...(hostname.trim() === '' ? [] : [`cloud nodes use ${hostname.trim()}`]),
    openPorts ? 'opens the ports in the firewall' : 'firewall unchanged',
    haproxy ? 'with HAProxy' : 'without HAProxy',
    ...(services === true ? ['runs services, too'] : []),
  ].join(', ');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}`;
}
