import type { ReactNode } from 'react';
import { shownText } from '../../shared/shown-text.ts';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { InOrder } from './in-order.tsx';
import { PickList } from './pick-list.tsx';

const NAMES = { dialog: 'Open link', box: 'Find a link', list: 'Links in view' } as const;

interface Link {
  /** Its address. */
  readonly id: string;
}

/** The links that are in view of the pane, the lowest first: by keyboard what Ctrl and a click are with the mouse. */
export function LinkList(): ReactNode {
  const { controller } = useWindowModel();
  const links = useWindowState((state) => state.links);
  return links === null ? null : (
    <PickList<Link>
      names={NAMES}
      find={(query) =>
        links.filter((url) => url.toLowerCase().includes(query.trim().toLowerCase())).map((id) => ({ id }))
      }
      Row={LinkRow}
      nothing={links.length === 0 ? 'There is no link in view.' : 'No link matches.'}
      onPick={({ id }) => void controller.desktop.openLink(id)}
      onClose={() => controller.panels.setLinks(null)}
    />
  );
}

function LinkRow({ item }: { readonly item: Link }): ReactNode {
  return (
    <span>
      <InOrder text={shownText(item.id)} />
    </span>
  );
}
