import { CliError } from './cli-error.ts';

/** Ids named in an error. */
const MAX_NAMED = 5;

/**
 * The session that an id or an abbreviation means: the id itself, the number at its end (`7` for `session-7`), or its
 * first letters when no other session begins with them. Throws `CliError`.
 */
export function matchSession<T extends { readonly id: string }>(sessions: readonly T[], text: string): T {
  const exact =
    sessions.find(({ id }) => id === text) ??
    (/^\d+$/.test(text) ? sessions.find(({ id }) => id === `session-${text}`) : undefined);
  if (exact !== undefined) {
    return exact;
  }
  const [first, ...others] = text === '' ? [] : sessions.filter(({ id }) => id.startsWith(text));
  if (first === undefined) {
    throw new CliError(`no session is called '${text}': \`shellscope ls\` shows those there are`);
  }
  if (others.length > 0) {
    const ids = [first, ...others].map(({ id }) => id);
    const named = `${ids.slice(0, MAX_NAMED).join(', ')}${ids.length > MAX_NAMED ? ' …' : ''}`;
    throw new CliError(`'${text}' could be any of ${ids.length} sessions: ${named}`);
  }
  return first;
}
