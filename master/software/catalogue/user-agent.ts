import { VERSION } from '#shared/version.ts';
import project from '../../../package.json' with { type: 'json' };

/**
 * Returns the user agent that the master sends to publishers. PaperMC refuses requests without the name of a program
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
