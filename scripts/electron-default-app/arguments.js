// @ts-check

/**
 * What Electron's command line asks for.
 * @typedef {{ action: 'load', app: string, preload: readonly string[] }
 *   | { action: 'print', text: 'version' | 'abi' }
 *   | { action: 'refuse', reason: string }} Request
 */

/**
 * Reads the command line as Electron's own default app does: the first word that is no switch is
 * the app; `-r module` is loaded before it; switches of Chromium and Node are not ours.
 * @param {readonly string[]} args process.argv without the executable.
 * @returns {Request}
 */
export function parseArguments(args) {
  /** @type {string[]} */
  const preload = [];
  const rest = args[Symbol.iterator]();
  for (const arg of rest) {
    if (arg === '-v' || arg === '--version') {
      return { action: 'print', text: 'version' };
    }
    if (arg === '-a' || arg === '--abi') {
      return { action: 'print', text: 'abi' };
    }
    if (arg === '-i' || arg === '--interactive') {
      return { action: 'refuse', reason: 'this runtime has no interactive mode' };
    }
    if (arg === '-r' || arg === '--require') {
      const module = rest.next();
      if (module.done === true) {
        return { action: 'refuse', reason: `${arg} needs the name of a module` };
      }
      preload.push(module.value);
    } else if (arg.startsWith('--app=')) {
      return { action: 'load', app: arg.slice('--app='.length), preload };
    } else if (!arg.startsWith('-')) {
      return { action: 'load', app: arg, preload };
    }
  }
  return { action: 'refuse', reason: 'no app given; start it as `electron <folder of the app>`' };
}
