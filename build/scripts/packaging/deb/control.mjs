/**
 * Description of a Debian package.
 *
 * @typedef {object} DebFacts
 * @property {string} name
 * @property {string} version of the project (semver)
 * @property {DebArch} arch
 * @property {string} section of Debian's archive
 * @property {string} maintainer `Name <address>`
 * @property {string} homepage
 * @property {readonly string[]} depends
 * @property {readonly string[]} [recommends]
 * @property {readonly string[]} [suggests]
 * @property {string} synopsis one line, without a period
 * @property {readonly string[]} description paragraphs
 *
 * @typedef {'amd64' | 'arm64'} DebArch Debian's name of an architecture
 */

/**
 * Returns the Debian version of a version of the project. Debian sorts `1.0.0~rc.1` before `1.0.0`, as semver sorts
 * `1.0.0-rc.1`.
 *
 * @param {string} version semver
 */
export function debVersion(version) {
  return version.replace('-', '~').replaceAll('-', '.');
}

/**
 * Returns the content of `DEBIAN/control` (deb-control(5)).
 *
 * @param {DebFacts} facts
 * @param {number} installedBytes size of all files
 */
export function controlFile(facts, installedBytes) {
  const fields = [
    ['Package', facts.name],
    ['Version', debVersion(facts.version)],
    ['Architecture', facts.arch],
    ['Maintainer', facts.maintainer],
    // In KiB, rounded up.
    ['Installed-Size', String(Math.ceil(installedBytes / 1_024))],
    ['Depends', facts.depends.join(', ')],
    ['Recommends', (facts.recommends ?? []).join(', ')],
    ['Suggests', (facts.suggests ?? []).join(', ')],
    ['Section', facts.section],
    ['Priority', 'optional'],
    ['Homepage', facts.homepage],
    ['Description', [facts.synopsis, ...describe(facts.description)].join('\n')],
  ];
  const lines = fields.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}\n`);
  return lines.join('');
}

/**
 * Returns paragraphs as lines of a description: each begins with a space, and ` .` is an empty line.
 *
 * @param {readonly string[]} paragraphs
 */
function describe(paragraphs) {
  return paragraphs.flatMap((paragraph, index) => [...(index === 0 ? [] : [' .']), ...wrap(paragraph)]);
}

/**
 * Breaks a paragraph into lines of at most 79 characters.
 *
 * @param {string} paragraph
 */
function wrap(paragraph) {
  const lines = [''];
  for (const word of paragraph.split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= 79 || lines.at(-1) === '') lines[lines.length - 1] = line;
    else lines.push(` ${word}`);
  }
  return lines;
}
