import type { StoreApi } from 'zustand/vanilla';
import type { ConnectionInfo, WindowApi } from '../shared/ipc.ts';
import { failureText } from './host-client.ts';

/** What is known of the door for agents. `unknown` until the host answered. */
export type ConnectionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly connection: ConnectionInfo }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Asks the host once how agents reach it; never rejects. */
export async function loadConnection(host: WindowApi, store: StoreApi<ConnectionState>): Promise<void> {
  let answer: ConnectionState;
  try {
    answer = { kind: 'known', connection: await host.describeConnection() };
  } catch (error) {
    answer = { kind: 'unreachable', reason: failureText(error) };
  }
  // An event that came meanwhile is newer than this answer.
  if (store.getState().kind === 'unknown') {
    store.setState(answer, true);
  }
}
