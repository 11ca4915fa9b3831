import type { ReactNode } from 'react';
import { paletteItems, type PaletteItem } from '../palette-items.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { PickList } from './pick-list.tsx';

const NAMES = { dialog: 'Command palette', box: 'Command or session', list: 'Commands and sessions' } as const;

/** Every action by name, over everything else. */
export function CommandPalette(): ReactNode {
  const isOpen = useWindowState((state) => state.isPaletteOpen);
  return isOpen ? <OpenPalette /> : null;
}

function OpenPalette(): ReactNode {
  const { controller } = useWindowModel();
  const sessions = useSessions();
  const state = useWindowState((all) => all);
  const run = (item: PaletteItem): void => {
    if (item.kind === 'command') {
      controller.runCommand(item.command);
    } else {
      controller.select(item.session, 'to-pane');
    }
  };
  return (
    <PickList
      names={NAMES}
      find={(query) => paletteItems(sessions, state, query)}
      Row={PaletteRow}
      nothing="No command or session matches."
      onPick={run}
      onClose={() => controller.panels.setPaletteOpen(false)}
    />
  );
}

function PaletteRow({ item }: { readonly item: PaletteItem }): ReactNode {
  const { platform } = useWindowModel();
  if (item.kind === 'command') {
    return (
      <>
        <span>{item.label}</span> <kbd>{keyLabel(item.command, platform)}</kbd>
      </>
    );
  }
  // Where the label is cut, its end is seen all the same.
  const end = item.difference === null ? '' : `· ${item.difference}`;
  return (
    <>
      <span>{item.label.slice(0, item.label.length - end.length)}</span>
      {end === '' ? null : <span className="name-difference">{end}</span>}
    </>
  );
}
