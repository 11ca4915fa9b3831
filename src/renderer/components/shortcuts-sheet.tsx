import { useState, type ReactNode } from 'react';
import { shortcutGroups } from '../shortcut-list.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { SearchBox } from './search-box.tsx';
import { SheetFrame } from './sheet.tsx';

/** Every key of the window, in the order of the menus. */
export function ShortcutsSheet(): ReactNode {
  return useWindowState((state) => state.sheet === 'shortcuts') ? <OpenSheet /> : null;
}

function OpenSheet(): ReactNode {
  const { platform } = useWindowModel();
  const [query, setQuery] = useState('');
  const groups = shortcutGroups(platform, query);
  return (
    <SheetFrame
      name="shortcuts"
      title="Keyboard shortcuts"
      isReadOnly
      intro={
        <>
          <SearchBox name="Search the shortcuts" hint="Search by action or key" query={query} onQuery={setQuery} />
          <p role="status" className={groups.length === 0 ? 'sheet-nothing' : 'visually-hidden'}>
            {groups.length === 0 ? 'No shortcut matches.' : ''}
          </p>
          <p className="sheet-note">
            Every other key belongs to the program in the terminal. All of these stand in the command palette,{' '}
            <kbd>{keyLabel('palette', platform)}</kbd>.
          </p>
        </>
      }
    >
      {groups.map(({ title, rows }) => (
        <section key={title} className="settings-section" aria-label={title}>
          <h3>{title}</h3>
          <dl className="shortcuts">
            {rows.map(({ label, keys }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <kbd>{keys}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </SheetFrame>
  );
}
