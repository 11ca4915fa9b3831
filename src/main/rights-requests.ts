import type { Engine } from '../engine/engine.ts';
import type { Handlers } from './ipc-router.ts';

/** What the window asks about what agents may do, and what their children were given. */
export function rightsRequests(
  engine: Engine,
): Pick<Handlers, 'grants/list' | 'grants/revoke' | 'environment/of-session'> {
  return {
    'grants/list': async () =>
      (await engine.grants()).map(({ id, scope, argv, cwd, sandboxText, by, at }) => ({
        ...{ id, argv, cwd, by },
        client: scope.client,
        holds: scope.kind === 'session' ? 'session' : 'for-good',
        conversation: scope.kind === 'session' ? scope.conversation : null,
        sandbox: sandboxText,
        atMs: at,
      })),
    'grants/revoke': async (_sender, id) => ({ revoked: await engine.revokeGrant(id) }),
    'environment/of-session': async (_sender, id) => {
      const facts = await engine.environment(id);
      if (facts === null) {
        return null;
      }
      const secrets = new Set(facts.secretsLeftOut);
      return {
        given: Object.entries(facts.origins)
          .map(([name, source]) => ({ name, source }))
          .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
        secretsKeptOut: facts.secretsLeftOut,
        notGiven: facts.leftOut.filter((name) => !secrets.has(name)),
      };
    },
  };
}
