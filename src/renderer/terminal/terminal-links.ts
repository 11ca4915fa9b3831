import { WebLinksAddon } from '@xterm/addon-web-links';
import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm';
import type { WindowApi } from '../../shared/ipc.ts';

export interface TerminalLinksOptions {
  readonly terminal: Terminal;
  readonly host: HTMLElement;
  readonly platform: WindowApi['platform'];
  readonly openLink: (url: string) => void;
}

/** The part of xterm's inside that knows every kind of link; there is no public way to ask it. */
interface LinkKeeper {
  readonly _core?: { readonly _linkProviderService?: { readonly linkProviders: readonly ILinkProvider[] } };
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

/** Addresses of the links in view that a click opens, each once, the lowest first. */
export function linksInView(terminal: Terminal): readonly string[] {
  const providers = (terminal as unknown as LinkKeeper)._core?._linkProviderService?.linkProviders ?? [];
  const { viewportY } = terminal.buffer.active;
  const found = new Set<string>();
  for (let row = terminal.rows; row >= 1; row -= 1) {
    const links: ILink[] = [];
    for (const provider of providers) {
      // Both kinds answer at once.
      provider.provideLinks(viewportY + row, (some) => links.push(...(some ?? [])));
    }
    for (const { text } of links.toSorted((one, other) => other.range.start.x - one.range.start.x)) {
      if (isWebUrl(text)) {
        found.add(text);
      }
    }
  }
  return [...found];
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
