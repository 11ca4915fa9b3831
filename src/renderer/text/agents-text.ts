/** Who is connected, in words: the proof that a configuration works. Pure. */
import type { ConnectionInfo } from '../../shared/ipc.ts';
import { clientName } from '../../shared/session-words.ts';

/** Names that have room beside others; more are counted. */
const MOST_NAMES = 3;

type Connected = Pick<ConnectionInfo, 'clients' | 'mcpClients'>;

/** `codex connected`, `codex ×2, claude-code connected`, `1 agent connected` before it said its name; null for nobody. */
export function connectedText(connected: Connected): string | null {
  const { names, unnamed } = agentsOf(connected);
  const shown = names.slice(0, MOST_NAMES);
  if (shown.length === 0) {
    return unnamed === 0 ? null : unnamed === 1 ? '1 agent connected' : `${unnamed} agents connected`;
  }
  const more = unnamed + names.slice(MOST_NAMES).reduce((sum, { count }) => sum + count, 0);
  return `${shown.map(nameText).join(', ')}${more === 0 ? '' : ` and ${more} more`} connected`;
}

/** All of them, a line each. */
export function connectedLines(connected: Connected): string {
  const { names, unnamed } = agentsOf(connected);
  return [...names.map(nameText), ...(unnamed === 0 ? [] : [`${unnamed} without a name`])].join('\n');
}

interface Named {
  readonly name: string;
  readonly count: number;
}

/** By what people call them, so that one program is one name whatever door it came by. */
function agentsOf({ clients, mcpClients }: Connected): { readonly names: readonly Named[]; readonly unnamed: number } {
  const counts = new Map<string, number>();
  let unnamed = 0;
  for (const client of [...clients, ...mcpClients]) {
    const name = client === null ? '' : clientName(client);
    if (name === '') {
      unnamed += 1;
    } else {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return { names: [...counts].map(([name, count]) => ({ name, count })), unnamed };
}

function nameText({ name, count }: Named): string {
  return count === 1 ? name : `${name} ×${count}`;
}
