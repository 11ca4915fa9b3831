import type { Engine } from '../../src/engine/engine.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';

/** Time that a session has to come to what is waited for, in milliseconds: a hang, not a slow machine. */
const PATIENCE_MS = 20_000;

/** Resolves when the session's facts are as wanted; told by its events. */
export function sessionWhen(
  engine: Engine,
  id: SessionId,
  isTrue: (session: SessionInfo) => boolean,
): Promise<SessionInfo> {
  return new Promise((resolve, reject) => {
    let last: SessionInfo | null = null;
    const timeout = setTimeout(() => {
      stop();
      reject(new Error(`${id} did not come to it: ${JSON.stringify(last)}`));
    }, PATIENCE_MS);
    const settle = (session: SessionInfo) => {
      if (session.id === id) {
        last = session;
        if (isTrue(session)) {
          clearTimeout(timeout);
          stop();
          resolve(session);
        }
      }
    };
    const stop = engine.onEvent((event) => {
      if (event.type === 'changed') {
        settle(event.session);
      }
    });
    void engine.get(id).then(settle, reject);
  });
}
