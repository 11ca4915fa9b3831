import { PANE_PORT_MESSAGE } from '../shared/ipc-names.ts';

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
    for (const unusable of ports) {
      unusable.close();
    }
    return;
  }
  page.postMessage({ type: PANE_PORT_MESSAGE, nonce }, page.location.origin, [port]);
}

function nonceOf(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('nonce' in message)) {
    return null;
  }
  return typeof message.nonce === 'string' ? message.nonce : null;
}
