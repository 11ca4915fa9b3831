import type { ReactNode } from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import { groupsOf } from '../layout/pane-layout.ts';
import { hasWords } from '../session-rows.ts';
import { originName, shownProgress, stateLook, stateWords } from '../text/session-text.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { PickList } from './pick-list.tsx';
import { SessionIcon } from './session-icon.tsx';
import { SessionName } from './session-name.tsx';

const NAMES = { dialog: 'All tabs', box: 'Find a tab', list: 'Tabs' } as const;

/** All tabs in one list, found by their words: the way to one that is far along the strip. */
export function TabList(): ReactNode {
  const isOpen = useWindowState((state) => state.isTabListOpen);
  return isOpen ? <OpenTabList /> : null;
}

function OpenTabList(): ReactNode {
  const { controller } = useWindowModel();
  const sessions = useSessions();
  const layout = useWindowState((state) => state.layout);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const tabs = groupsOf(layout).flatMap((group) => group.tabs.flatMap((id) => byId.get(id) ?? []));
  return (
    <PickList
      names={NAMES}
      find={(query) => tabs.filter((session) => hasWords(session, query))}
      Row={TabRow}
      nothing="No tab matches."
      onPick={({ id }) => controller.select(id, 'to-pane')}
      onClose={() => controller.panels.setTabListOpen(false)}
    />
  );
}

function TabRow({ item: session }: { readonly item: SessionInfo }): ReactNode {
  const isUnseen = useWindowState((state) => state.unseen.has(session.id));
  return (
    <>
      <span className="tab-row-words" data-look={stateLook(session)} data-progress={shownProgress(session)?.kind}>
        <SessionIcon session={session} />{' '}
        <span>
          <SessionName session={session} />
        </span>
      </span>{' '}
      <span className="tab-row-facts">
        {originName(session.origin)} · {stateWords(session)}
        {isUnseen ? ' · not looked at yet' : ''}
      </span>
    </>
  );
}
