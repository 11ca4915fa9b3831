// @ts-check

/**
 * Which Debian package has a library that Electron needs, newest name first: Debian 13 and Ubuntu
 * 24.04 renamed packages to *t64 when time_t grew to 64 bits.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const debianPackages = {
  'libX11.so.6': ['libx11-6'],
  'libXcomposite.so.1': ['libxcomposite1'],
  'libXdamage.so.1': ['libxdamage1'],
  'libXext.so.6': ['libxext6'],
  'libXfixes.so.3': ['libxfixes3'],
  'libXrandr.so.2': ['libxrandr2'],
  'libasound.so.2': ['libasound2t64', 'libasound2'],
  'libatk-1.0.so.0': ['libatk1.0-0t64', 'libatk1.0-0'],
  'libatk-bridge-2.0.so.0': ['libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'],
  'libatspi.so.0': ['libatspi2.0-0t64', 'libatspi2.0-0'],
  'libcairo.so.2': ['libcairo2'],
  'libcups.so.2': ['libcups2t64', 'libcups2'],
  'libdbus-1.so.3': ['libdbus-1-3'],
  'libdrm.so.2': ['libdrm2'],
  'libexpat.so.1': ['libexpat1'],
  'libgbm.so.1': ['libgbm1'],
  'libgcc_s.so.1': ['libgcc-s1'],
  'libgio-2.0.so.0': ['libglib2.0-0t64', 'libglib2.0-0'],
  'libglib-2.0.so.0': ['libglib2.0-0t64', 'libglib2.0-0'],
  'libgobject-2.0.so.0': ['libglib2.0-0t64', 'libglib2.0-0'],
  'libgtk-3.so.0': ['libgtk-3-0t64', 'libgtk-3-0'],
  'libnspr4.so': ['libnspr4'],
  'libnss3.so': ['libnss3'],
  'libnssutil3.so': ['libnss3'],
  'libpango-1.0.so.0': ['libpango-1.0-0'],
  'libsmime3.so': ['libnss3'],
  'libstdc++.so.6': ['libstdc++6'],
  'libudev.so.1': ['libudev1'],
  'libxcb.so.1': ['libxcb1'],
  'libxkbcommon.so.0': ['libxkbcommon0'],
};

/** @type {Readonly<Record<string, string>>} */
const archPackages = {
  'libX11.so.6': 'libx11',
  'libXcomposite.so.1': 'libxcomposite',
  'libXdamage.so.1': 'libxdamage',
  'libXext.so.6': 'libxext',
  'libXfixes.so.3': 'libxfixes',
  'libXrandr.so.2': 'libxrandr',
  'libasound.so.2': 'alsa-lib',
  'libatk-1.0.so.0': 'at-spi2-core',
  'libatk-bridge-2.0.so.0': 'at-spi2-core',
  'libatspi.so.0': 'at-spi2-core',
  'libcairo.so.2': 'cairo',
  'libcups.so.2': 'libcups',
  'libdbus-1.so.3': 'dbus',
  'libdrm.so.2': 'libdrm',
  'libexpat.so.1': 'expat',
  'libgbm.so.1': 'mesa',
  'libgio-2.0.so.0': 'glib2',
  'libglib-2.0.so.0': 'glib2',
  'libgobject-2.0.so.0': 'glib2',
  'libgtk-3.so.0': 'gtk3',
  'libnspr4.so': 'nspr',
  'libnss3.so': 'nss',
  'libnssutil3.so': 'nss',
  'libpango-1.0.so.0': 'pango',
  'libsmime3.so': 'nss',
  'libudev.so.1': 'systemd-libs',
  'libxcb.so.1': 'libxcb',
  'libxkbcommon.so.0': 'libxkbcommon',
};

/**
 * @typedef {object} Missing
 * @property {readonly string[]} libraries Sonames.
 * @property {boolean} xvfb
 * @property {readonly string[]} programs Names of packages, which are the same everywhere.
 *
 * @typedef {object} Chosen
 * @property {readonly string[]} packages Sorted, each once.
 * @property {readonly string[]} unknown Libraries for which no package is known.
 */

/**
 * The libraries that ldd(1) could not find.
 * @param {string} output Of ldd with LC_ALL=C.
 * @returns {string[]} Sonames, each once, in ldd's order.
 */
export function parseMissingLibraries(output) {
  const missing = [...output.matchAll(/^\s*(\S+) => not found$/gm)].map((match) => match[1] ?? '');
  return [...new Set(missing)];
}

/**
 * The package names that apt could install.
 * @param {string} output Of `apt-cache policy NAME...` with LC_ALL=C.
 * @returns {Set<string>}
 */
export function parseAptCandidates(output) {
  const blocks = output.matchAll(/^(\S+):\n(?: {2}.*\n)*? {2}Candidate: (.+)$/gm);
  return new Set([...blocks].filter((block) => block[2] !== '(none)').map((block) => block[1] ?? ''));
}

/**
 * All names under which Debian may have what is missing; to ask apt about.
 * @param {Missing} missing
 * @returns {string[]}
 */
export function debianNames(missing) {
  const names = missing.libraries.flatMap((library) => debianPackages[library] ?? []);
  return [...new Set([...names, ...(missing.xvfb ? ['xvfb'] : []), ...missing.programs])];
}

/**
 * The Debian packages to install.
 * @param {Missing} missing
 * @param {ReadonlySet<string>} known Names that apt could install. Where it knows none of a library's, the oldest is named.
 * @returns {Chosen}
 */
export function chooseDebianPackages(missing, known) {
  return choose(missing, 'xvfb', (library) => {
    const names = debianPackages[library];
    return names?.find((name) => known.has(name)) ?? names?.at(-1);
  });
}

/**
 * The Arch Linux packages to install.
 * @param {Missing} missing
 * @returns {Chosen}
 */
export function chooseArchPackages(missing) {
  return choose(missing, 'xorg-server-xvfb', (library) => archPackages[library]);
}

/**
 * What to name to dnf: rpm packages provide sonames, so no table is needed.
 * @param {Missing} missing
 * @param {boolean} is64bit
 * @returns {Chosen}
 */
export function chooseRpmProvides(missing, is64bit) {
  return choose(missing, 'xorg-x11-server-Xvfb', (library) => `${library}()${is64bit ? '(64bit)' : ''}`);
}

/**
 * @param {Missing} missing
 * @param {string} xvfbPackage
 * @param {(library: string) => string | undefined} packageOf
 * @returns {Chosen}
 */
function choose(missing, xvfbPackage, packageOf) {
  /** @type {Set<string>} */
  const packages = new Set([...(missing.xvfb ? [xvfbPackage] : []), ...missing.programs]);
  /** @type {string[]} */
  const unknown = [];
  for (const library of missing.libraries) {
    const name = packageOf(library);
    if (name === undefined) {
      unknown.push(library);
    } else {
      packages.add(name);
    }
  }
  return { packages: [...packages].sort(), unknown };
}
