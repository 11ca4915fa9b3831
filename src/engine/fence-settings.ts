import type { Settings } from './approval/settings.ts';
import type { StartSafety } from './exec/start-safety.ts';
import type { SandboxPolicy } from './sandbox/sandbox-policy.ts';

/** The sandbox that a client asked for, with what the settings say of it. */
export interface SettledFence {
  readonly sandbox: SandboxPolicy;
  /** See `StartSafety`. */
  readonly asksForHosts: boolean;
}

/**
 * Hosts that the settings allow are added to those that the client asks for; what they deny nobody reaches. A fence with
 * the whole network keeps it. `hidden` is what no sandbox sees.
 */
export function fenceWithSettings(
  { sandbox, client }: Pick<StartSafety, 'sandbox' | 'client'>,
  network: Settings['network'],
  hidden: readonly string[],
): SettledFence {
  if (sandbox.kind === 'none') {
    return { sandbox, asksForHosts: false };
  }
  const fence = { ...sandbox, hidden: [...sandbox.hidden, ...hidden] };
  if (sandbox.network === 'host') {
    return { sandbox: fence, asksForHosts: false };
  }
  const ofClient = Object.hasOwn(network.clients, client) ? network.clients[client] : undefined;
  const settled = new Set([...network.allowed, ...(ofClient?.allowed ?? [])]);
  const asked = sandbox.network === 'none' ? [] : sandbox.network.allowed;
  const allowed = [...new Set([...settled, ...asked])];
  const denied = [
    ...new Set([
      ...network.denied,
      ...(ofClient?.denied ?? []),
      ...(sandbox.network === 'none' ? [] : sandbox.network.denied),
    ]),
  ];
  return {
    sandbox: { ...fence, network: allowed.length === 0 ? 'none' : { allowed, denied } },
    asksForHosts: asked.some((host) => !settled.has(host)),
  };
}
