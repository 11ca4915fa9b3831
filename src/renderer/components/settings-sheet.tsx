import { useState, type ReactNode } from 'react';
import { problemSentence, type SettingsField, type SettingsSnapshot } from '../../shared/settings.ts';
import { fieldsMatching } from '../settings-search.ts';
import { useSettings, useWindowModel, useWindowState } from '../window/window-model.ts';
import { SearchBox } from './search-box.tsx';
import { SettingRow } from './setting-row.tsx';
import { SheetFrame } from './sheet.tsx';

/** All settings, as the schema has them. */
export function SettingsSheet(): ReactNode {
  const isOpen = useWindowState((state) => state.sheet === 'settings');
  const settings = useSettings();
  return isOpen && settings !== null ? <OpenSheet settings={settings} /> : null;
}

function OpenSheet({ settings }: { readonly settings: SettingsSnapshot }): ReactNode {
  const { controller } = useWindowModel();
  const [query, setQuery] = useState('');
  const found = fieldsMatching(settings.fields, query);
  const sections = [...new Set(found.map(({ section }) => section))];
  const resettable = settings.fields.some(({ path, protects }) => settings.changed.includes(path) && !protects);
  return (
    <SheetFrame
      name="settings"
      title="Settings"
      intro={
        <>
          <SearchBox name="Search the settings" query={query} onQuery={setQuery} />
          <p role="status" className={query === '' || found.length > 0 ? 'visually-hidden' : 'sheet-nothing'}>
            {query === '' ? '' : foundWords(found.length)}
          </p>
        </>
      }
      actions={
        <>
          <button type="button" title={settings.file} onClick={() => void controller.settings.openFile()}>
            Open file
          </button>
          <button
            type="button"
            disabled={!resettable}
            title="What agents have to ask about stays as it is"
            onClick={() => void controller.settings.reset(null)}
          >
            Reset all
          </button>
        </>
      }
    >
      <Problems settings={settings} />
      {sections.map((section) => (
        <Section
          key={section}
          title={section}
          fields={found.filter((field) => field.section === section)}
          settings={settings}
        />
      ))}
      <OtherHints settings={settings} />
    </SheetFrame>
  );
}

function Section({
  title,
  fields,
  settings,
}: {
  readonly title: string;
  readonly fields: readonly SettingsField[];
  readonly settings: SettingsSnapshot;
}): ReactNode {
  return (
    <section className="settings-section" aria-label={title}>
      <h3>{title}</h3>
      {fields.map((field) => (
        <SettingRow key={field.path} field={field} settings={settings} />
      ))}
    </section>
  );
}

/** What is about no field of the form: the file as a whole, and parts that only the file has. */
function Problems({ settings: { file, fields, problems } }: { readonly settings: SettingsSnapshot }): ReactNode {
  const others = problems.filter(({ path }) => !fields.some((field) => field.path === path));
  return others.length === 0 ? null : (
    <ul className="settings-problems" aria-label="What cannot be used in the file">
      {others.map((problem) => (
        <li key={problemSentence(file, problem)}>{problemSentence(file, problem)}</li>
      ))}
    </ul>
  );
}

/** What is worth knowing of the rest of the file. */
function OtherHints({ settings: { fields, hints } }: { readonly settings: SettingsSnapshot }): ReactNode {
  const others = hints.filter(({ path }) => !fields.some((field) => field.path === path));
  return others.length === 0 ? null : (
    <section className="settings-section" aria-label="Also in the file">
      <h3>Also in the file</h3>
      <dl className="settings-hints">
        {others.map(({ path, text }) => (
          <div key={path}>
            <dt>
              <code>{path}</code>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function foundWords(count: number): string {
  if (count === 0) {
    return 'No setting matches.';
  }
  return count === 1 ? '1 setting' : `${count} settings`;
}
