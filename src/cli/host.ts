import { runtimeFolder as runtimeFolderOf } from '../engine/engine.ts';
import { ControlClient } from '../protocol/control/control-client.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { matchSession } from './match-session.ts';

/** Where the control socket of this person's host lies. */
export function runtimeFolder(): string {
  return runtimeFolderOf(process.env);
}

/** Does something with the host that runs, and lets go of it. Rejects with `HostUnreachable` when there is none. */
export async function withHost<T>(command: string, work: (host: ControlClient) => Promise<T>): Promise<T> {
  const host = await ControlClient.connect({ folder: runtimeFolder(), client: `shellscope ${command}` });
  try {
    return await work(host);
  } finally {
    host.close();
  }
}

/** The session that is meant, by its id or an abbreviation of it. Rejects with a sentence. */
export async function findSession(host: ControlClient, text: string): Promise<SessionInfo> {
  const { sessions } = await host.request('list', {});
  return matchSession(sessions, text);
}

/** Several of them, each once, in the order of the words. */
export async function findSessions(host: ControlClient, texts: readonly string[]): Promise<readonly SessionInfo[]> {
  const { sessions } = await host.request('list', {});
  const found = new Map<SessionId, SessionInfo>();
  for (const text of texts) {
    const session = matchSession(sessions, text);
    found.set(session.id, session);
  }
  return [...found.values()];
}
