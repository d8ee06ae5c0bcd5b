import { problemSentence, type FieldProblem } from '../../config/document.ts';
import { code } from '../code.ts';

/** Errors of documents, template folders and their revisions. */
export const templateCodes = {
  CONFIG_FAULTY: code<{ document: string; problems: readonly FieldProblem[] }>(
    'config',
    ({ document, problems }) =>
      `${document} is faulty and was not applied: ${problems.map(problemSentence).join(' ')} Correct it and save again.`,
  ),
  CONFIG_CONFLICT: code<{ document: string; basedOn: string; current: string }>(
    'user',
    ({ document }) =>
      `${document} was changed by someone else since you opened it. Nothing was overwritten. Reload it and apply your changes again.`,
  ),
  DOCUMENT_NOT_TEXT: code<{ document: string; why: string }>(
    'config',
    ({ document, why }) =>
      `${document} cannot be opened as text: its file ${why}. Replace it with the values in use, or repair the file on the master's disk.`,
  ),
  TEMPLATE_NOT_FOUND: code<{ template: string }>(
    'user',
    ({ template }) => `There is no template "${template}". It may have been deleted.`,
  ),
  TEMPLATE_EXISTS: code<{ template: string }>(
    'user',
    ({ template }) => `A template with the id "${template}" already exists. Choose another id.`,
  ),
  TEMPLATES_LEFT: code<{ why: string; left: readonly string[] }>(
    'node',
    ({ why, left }) =>
      `The templates could not be created: ${why} The new files of ${left.join(', ')} could not be removed again. Delete these templates, or restart the master, which removes them. Then try again.`,
  ),
  TEMPLATE_IN_USE: code<{ template: string; services: readonly string[] }>(
    'user',
    ({ template, services }) =>
      `Template ${template} has ${services.length} service(s) (${services.slice(0, 5).join(', ')}). Stop them first, or delete the template together with them.`,
  ),
  TEMPLATE_LEAVING: code<{ template: string }>(
    'user',
    ({ template }) =>
      `Template ${template} is being deleted, so it starts no services. Cancel the deletion to keep using it.`,
  ),
  TEMPLATE_UNREADABLE: code<{ template: string; why: string }>(
    'config',
    ({ template, why }) =>
      `The files of template ${template} cannot be used: ${why}. Correct the folder. Its services then start automatically.`,
  ),
  SERVER_JAR_MISSING: code<{ template: string }>(
    'config',
    ({ template }) =>
      `The folder of template ${template} has no server.jar, so its services cannot start. Upload one. They then start automatically.`,
  ),
  REVISION_NOT_FOUND: code<{ template: string; revision: string }>(
    'user',
    ({ template, revision }) =>
      `Revision ${revision} of template ${template} is no longer stored. Choose another one.`,
  ),
};
