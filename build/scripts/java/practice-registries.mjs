import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, testPeers } from '../paths.mjs';

/** Newest version of Minecraft that the practice server supports. */
const VERSION = '26.1';
const NAMESPACE = 'minecraft:';

/** File that this script writes. The practice server's jar contains the file. */
export const registriesFile = join(
  root,
  'master/practice/server/resources/overworld/practice/protocol/registries.txt',
);

/**
 * Maps the name of a field to the registry of the tags that the field refers to. If an entry refers to a tag that the
 * server does not send, clients cannot load the entry.
 *
 * @type {Readonly<Record<string, string>>}
 */
const registryOfField = {
  infiniburn: 'block',
  blocks: 'block',
  immune_blocks: 'block',
  supported_items: 'item',
  primary_items: 'item',
  items: 'item',
  exclusive_set: 'enchantment',
  type: 'entity_type',
  timelines: 'timeline',
  dialogs: 'dialog',
};

/**
 * A value in NBT as minecraft-data writes it.
 *
 * @typedef {{ type: string, value: unknown }} Tag
 * @typedef {{ dimensionCodec: Record<string, { entries: readonly { key: string, value: Tag }[] }> }} LoginPacket
 * @typedef {{ minecraftVersion: string, version: number, releaseType: string }} Version
 * @typedef {((version: string) => { loginPacket: LoginPacket, version: Version }) & { versions: { pc: readonly Version[] } }} MinecraftData
 */

/**
 * Returns the content of {@link registriesFile}, made from the login packet in the package minecraft-data: the releases
 * that use the protocol, the names of all entries of each registry, and the tags that the entries refer to.
 *
 * @throws {Error} if an entry has a form that the practice server cannot send
 */
export function practiceRegistries() {
  const data = /** @type {MinecraftData} */ (
    createRequire(join(testPeers, 'package.json'))('minecraft-data')
  );
  const { loginPacket, version } = data(VERSION);
  const releases = data.versions.pc.filter(
    (other) => other.version === version.version && other.releaseType === 'release',
  );
  /** @type {Map<string, Set<string>>} */
  const tags = new Map();
  const registries = Object.entries(loginPacket.dimensionCodec).map(([registry, { entries }]) => {
    for (const entry of entries) collectTags(entry.value, '', tags);
    return ['registry', registry, ...entries.map(({ key }) => key)].map(withoutNamespace).join(' ');
  });
  return [
    `# What the practice server tells clients of Minecraft ${VERSION} (protocol ${version.version}) about its registries.`,
    '# Written by build/scripts/java/practice-registries.mjs from minecraft-data (github.com/PrismarineJS/minecraft-data,',
    '# MIT licence). All names are in the namespace "minecraft".',
    `releases ${releases
      .map((release) => release.minecraftVersion)
      .sort()
      .join(' ')}`,
    ...registries,
    ...[...tags].sort().map(([registry, names]) => ['tags', registry, ...[...names].sort()].join(' ')),
    '',
  ].join('\n');
}

/** @param {string} name */
function withoutNamespace(name) {
  return name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name;
}

/**
 * Adds the tags that a value refers to.
 *
 * @param {Tag} tag
 * @param {string} field name of the field that has the value
 * @param {Map<string, Set<string>>} tags names of tags by registry
 */
function collectTags({ type, value }, field, tags) {
  if (type === 'compound') {
    for (const [name, child] of Object.entries(/** @type {Record<string, Tag>} */ (value))) {
      collectTags(child, name, tags);
    }
  } else if (type === 'list') {
    const list = /** @type {{ type: string, value: readonly unknown[] }} */ (value);
    for (const element of list.value) collectTags({ type: list.type, value: element }, field, tags);
  } else if (typeof value === 'string' && value.startsWith(`#${NAMESPACE}`)) {
    const registry = registryOfField[field];
    if (registry === undefined)
      throw new Error(`the registry of the tag ${value} in "${field}" is not known`);
    tags.set(registry, (tags.get(registry) ?? new Set()).add(withoutNamespace(value.slice(1))));
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await writeFile(registriesFile, practiceRegistries());
  console.log(registriesFile);
}
