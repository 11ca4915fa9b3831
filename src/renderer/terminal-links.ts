import { WebLinksAddon } from '@xterm/addon-web-links';
import type { Terminal } from '@xterm/xterm';
import type { WindowApi } from '../shared/ipc.ts';

export interface TerminalLinksOptions {
  readonly terminal: Terminal;
  readonly host: HTMLElement;
  readonly platform: WindowApi['platform'];
  readonly openLink: (url: string) => void;
}

/** Web addresses, and what programs mark as links: opened by Ctrl or ⌘ with a click, http and https alone. */
export function installLinks({ terminal, host, platform, openLink }: TerminalLinksOptions): void {
  const isMac = platform === 'darwin';
  const open = (event: MouseEvent, url: string): void => {
    if ((isMac ? event.metaKey : event.ctrlKey) && isWebUrl(url)) {
      openLink(url);
    }
  };
  const hover = (_event: MouseEvent, url: string): void => {
    host.title = `${isMac ? '⌘' : 'Ctrl+'}click opens ${url}`;
  };
  const leave = (): void => host.removeAttribute('title');
  terminal.options.linkHandler = { activate: open, hover, leave };
  terminal.loadAddon(new WebLinksAddon(open, { hover, leave }));
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
