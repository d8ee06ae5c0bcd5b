import { VERSION } from '#shared/version.ts';
import project from '../../../package.json' with { type: 'json' };

/**
 * Returns the name with which the master introduces itself to publishers. PaperMC refuses requests without a program's name
 * and a contact.
 *
 * Example: `overworld-master/0.2.0 (https://project.example; admin@example.org)`.
 *
 * @param contact e-mail address or URL of the person who runs the master; undefined if none is set
 */
export function toUserAgent(contact: string | undefined): string {
  const contacts = contact === undefined ? [project.homepage] : [project.homepage, contact];
  return `overworld-master/${VERSION} (${contacts.join('; ')})`;
}
