import type { PANE_PORT_MESSAGE } from '../shared/ipc.ts';

/** Main posts a pane's port under this name, with `{nonce}`. */
export const PANE_PORT_CHANNEL = 'sessions/pane-port';

/** Typed by the contract and not imported from it: the import would bring zod into the preload. */
const panePortMessage: typeof PANE_PORT_MESSAGE = 'shellscope/pane-port';

/** The page's window, as far as the relay needs it. */
export interface PageWindow {
  readonly location: { readonly origin: string };
  postMessage(message: unknown, targetOrigin: string, transfer: Transferable[]): void;
}

/**
 * Hands a pane's port on to the page. Ports cannot cross the context bridge, only `window.postMessage` carries them.
 * Whatever has no nonce or not exactly one port is dropped, and its ports are closed so that main sees it.
 */
export function relayPanePort(page: PageWindow, message: unknown, ports: readonly MessagePort[]): void {
  const [port] = ports;
  const nonce = nonceOf(message);
  if (nonce === null || port === undefined || ports.length !== 1) {
    for (const unusable of ports) unusable.close();
    return;
  }
  page.postMessage({ type: panePortMessage, nonce }, page.location.origin, [port]);
}

function nonceOf(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('nonce' in message)) return null;
  return typeof message.nonce === 'string' ? message.nonce : null;
}
