import { createHash } from 'node:crypto';
import { npm, npmReason } from '../../run.mjs';
import { SetupError } from '../../steps.mjs';

/**
 * The parts of a CycloneDX document (cyclonedx.org, version 1.5) that this script uses.
 *
 * @typedef {object} Component
 * @property {string} [bom-ref]
 * @property {string} type
 * @property {string} name
 * @property {string} version
 * @property {string} [scope]
 * @property {string} [purl]
 * @property {readonly { name: string, value: string }[]} [properties]
 *
 * @typedef {object} Dependency
 * @property {string} ref
 * @property {readonly string[]} [dependsOn]
 *
 * @typedef {object} Bom
 * @property {string} serialNumber
 * @property {{ timestamp: string, component: Component }} metadata
 * @property {readonly Component[]} components
 * @property {readonly Dependency[]} dependencies
 */

/**
 * Returns the bill of materials of all npm packages of the project, by `npm sbom` (npm 10 or newer).
 *
 * @returns {Promise<Bom>}
 * @throws {SetupError}
 */
export async function projectBom() {
  // If NODE_ENV is `production`, npm would leave out devDependencies. All packages of the project are devDependencies.
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--package-lock-only',
    '--include=dev',
    '--loglevel=error',
  ];
  const { code, output } = await npm(args);
  const from = output.indexOf('{');
  if (code !== 0 || from < 0) {
    throw new SetupError(
      `The bill of materials could not be made (${npmReason(output)}); npm 10 or newer is needed.`,
    );
  }
  return JSON.parse(output.slice(from));
}

/**
 * Reduces the project's bill of materials to the components of one artefact. The same artefact gives the same document.
 *
 * @param {Bom} bom
 * @param {object} artefact
 * @param {Component} artefact.product
 * @param {readonly { name: string, version: string }[]} artefact.packages npm packages in its bundles
 * @param {readonly Component[]} artefact.runtimes other components: Node.js or Electron
 * @param {number} artefact.dateS time of the artefact (Unix time, s)
 * @returns {Bom}
 */
export function artefactBom(bom, { product, packages, runtimes, dateS }) {
  const shipped = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const components = bom.components
    .filter(({ name, version }) => shipped.delete(`${name}@${version}`))
    .map(shippedComponent);
  if (shipped.size > 0) {
    throw new SetupError(
      `The bundles contain packages that package-lock.json does not list: ${[...shipped].join(', ')}; run npm ci and start again.`,
    );
  }
  const all = [...runtimes, ...components];
  const refs = new Set(all.map((component) => component['bom-ref']));
  const ref = `${product.name}@${product.version}`;
  const dependencies = bom.dependencies
    .filter((dependency) => refs.has(dependency.ref))
    .map(({ ref: from, dependsOn = [] }) => ({
      ref: from,
      dependsOn: dependsOn.filter((to) => refs.has(to)),
    }));
  const content = {
    ...bom,
    metadata: {
      ...bom.metadata,
      timestamp: new Date(dateS * 1_000).toISOString(),
      component: { ...product, 'bom-ref': ref },
    },
    components: all,
    dependencies: [{ ref, dependsOn: [...refs].flatMap((one) => one ?? []) }, ...dependencies],
  };
  return { ...content, serialNumber: `urn:uuid:${uuidOf({ ...content, serialNumber: '' })}` };
}

/**
 * Returns a component without npm's marks for devDependencies: optional, and for development only. The component is
 * shipped, so these marks do not apply.
 *
 * @param {Component} component
 * @returns {Component}
 */
function shippedComponent({ properties = [], ...component }) {
  return {
    ...component,
    scope: 'required',
    properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
  };
}

/**
 * Returns a UUID (version 8) that depends only on the content.
 *
 * @param {unknown} content
 */
function uuidOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
