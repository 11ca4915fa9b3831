// @ts-check
import { delimiter, dirname, join, sep } from 'node:path';

/** Set by npm for its scripts whatever the person had, see @npmcli/config set-envs and @npmcli/run-script. */
const setByNpm = ['INIT_CWD', 'NODE', 'COLOR'];

/**
 * The environment as it was before npm started a script, as far as that can be told: the shells in
 * Shellscope inherit it, and must not believe that they run inside an npm script. Also without
 * ELECTRON_RUN_AS_NODE, which would turn Electron into plain Node.
 *
 * Outside npm (no npm_lifecycle_event) only ELECTRON_RUN_AS_NODE is removed. NPM_CONFIG_* in
 * capitals is the person's own and stays.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root The folder with package.json.
 * @returns {NodeJS.ProcessEnv} A new object.
 */
export function withoutNpmEnvironment(env, root) {
  /** @type {NodeJS.ProcessEnv} */
  const cleaned = { ...env };
  delete cleaned['ELECTRON_RUN_AS_NODE'];
  if (env['npm_lifecycle_event'] === undefined) {
    return cleaned;
  }

  for (const name of Object.keys(cleaned)) {
    if (name.startsWith('npm_') || setByNpm.includes(name)) {
      delete cleaned[name];
    }
  }
  // npm sets EDITOR to VISUAL or vi when the person has none. A person's own EDITOR=vi goes too,
  // which changes nothing: vi is what programs take without one.
  if (env['EDITOR'] === (env['VISUAL'] ?? 'vi')) {
    delete cleaned['EDITOR'];
  }

  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
  const path = pathName === undefined ? undefined : env[pathName];
  if (pathName !== undefined && path !== undefined) {
    cleaned[pathName] = withoutNpmPath(path, root);
  }
  return cleaned;
}

/**
 * Makes `target` equal to `wanted`, in place; for process.env, which cannot be replaced.
 * @param {NodeJS.ProcessEnv} target
 * @param {NodeJS.ProcessEnv} wanted
 */
export function applyEnvironment(target, wanted) {
  for (const name of Object.keys(target)) {
    if (wanted[name] === undefined) {
      delete target[name];
    }
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined) {
      target[name] = value;
    }
  }
}

/**
 * @param {string} path
 * @param {string} root
 */
function withoutNpmPath(path, root) {
  const added = new Set(selfAndAncestors(root).map((folder) => join(folder, 'node_modules', '.bin')));
  const nodeGypBin = join('@npmcli', 'run-script', 'lib', 'node-gyp-bin');
  return path
    .split(delimiter)
    .filter((entry) => !added.has(entry) && !entry.endsWith(`${sep}${nodeGypBin}`))
    .join(delimiter);
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function selfAndAncestors(folder) {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...selfAndAncestors(parent)];
}
