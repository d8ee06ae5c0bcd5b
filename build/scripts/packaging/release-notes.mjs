import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { SetupError } from '../steps.mjs';
import { projectFacts } from './project-facts.mjs';

/**
 * Returns the notes of the release with this tag.
 *
 * @param {string} tag such as `v1.2.3`
 * @throws {SetupError} if the tag does not match the version in package.json, if CHANGELOG.md does not describe this
 *   version, or if the project has no public address yet
 */
export function notesOfRelease(tag) {
  const { version, homepage } = projectFacts();
  if (tag !== `v${version}`) {
    throw new SetupError(`The tag ${tag} does not match the version ${version} in package.json.`);
  }
  if (isPlaceholder(homepage)) {
    throw new SetupError(
      `${homepage} in package.json is a placeholder; set the address of the project (CONTRIBUTING.md, "Releases") before you release it.`,
    );
  }
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  return withWholeLinks(notes, `${homepage}/blob/${tag}/`);
}

/**
 * Returns the section of a version in a changelog, without its heading.
 *
 * @param {string} changelog in the format of Keep a Changelog
 * @param {string} version
 * @throws {SetupError} if there is no such section, or if it has no date
 */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  const [heading = '', ...lines] = (section ?? '').split('\n');
  const notes = lines.join('\n').trim();
  if (notes === '' || !/ - \d{4}-\d{2}-\d{2}$/.test(heading)) {
    throw new SetupError(
      `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with the changes of this version.`,
    );
  }
  return notes;
}

/**
 * Completes the links to files of the project, because the page of a release is not in the same folder as the
 * changelog.
 *
 * Example: `[a](NEWS.md)` with the base `https://host/x/` becomes `[a](https://host/x/NEWS.md)`.
 *
 * @param {string} notes Markdown
 * @param {string} base URL of the project's folder, with a slash at its end
 */
export function withWholeLinks(notes, base) {
  return notes.replaceAll(/\]\((?![a-z]+:)([^()\s]+)\)/g, (_, path) => `](${base}${path})`);
}

/**
 * Returns whether an address is only a placeholder: names below `.example` are reserved (RFC 2606).
 *
 * @param {string} address URL
 */
function isPlaceholder(address) {
  return new URL(address).hostname.endsWith('.example');
}
