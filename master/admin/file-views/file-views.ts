import type { OpenViews } from '#master/files/sftp/views/view.ts';
import { ServicesView, type ServicesViewOptions } from './services-view.ts';
import { VolumesView, type VolumesViewOptions } from './volumes-view.ts';

/** Creates the views of the SFTP server: the folders of running services, and the saves of volumes. */
export function fileViews(options: ServicesViewOptions & VolumesViewOptions): OpenViews {
  const services = new ServicesView(options);
  const volumes = new VolumesView(options);
  return (limit) => ({ services: services.for(limit), volumes: volumes.for(limit) });
}
