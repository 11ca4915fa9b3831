import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { ShownEnvironment } from '../../shared/session-rights.ts';
import { shownText } from '../../shared/shown-text.ts';
import { environmentGroups, noEnvironment } from '../text/rights-text.ts';
import { differencesOf } from '../text/session-differences.ts';
import { fullTitle } from '../text/session-text.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { OverPanel } from './over-panel.tsx';

/** Where each variable of the session in view came from, and which of the host's it was not given. Never a value. */
export function EnvironmentPanel(): ReactNode {
  const { rights } = useWindowModel().controller;
  const isOpen = useStore(rights.open, ({ panel }) => panel === 'environment');
  const selected = useWindowState((state) => state.selected);
  const sessions = useSessions();
  const session = sessions.find(({ id }) => id === selected);
  const view = useStore(rights.environment);
  if (!isOpen || session === undefined) {
    return null;
  }
  const environment = view.kind === 'known' && view.session === session.id ? view.environment : null;
  return (
    <OverPanel
      id="environment-panel"
      title="Environment"
      about={`Where the variables of ${fullTitle(session, differencesOf(sessions).get(session.id) ?? null)} came from. Names only.`}
      onClose={() => rights.close()}
    >
      <p role="status" className={environment === null ? undefined : 'visually-hidden'}>
        {view.kind === 'problem'
          ? `It cannot be told. ${view.why}`
          : view.kind === 'known' && environment === null
            ? noEnvironment(session)
            : ''}
      </p>
      {environment === null ? null : <Groups environment={environment} isOwnShell={session.origin.kind !== 'agent'} />}
    </OverPanel>
  );
}

function Groups({
  environment,
  isOwnShell,
}: {
  readonly environment: ShownEnvironment;
  readonly isOwnShell: boolean;
}): ReactNode {
  return (
    <>
      {environmentGroups(environment, isOwnShell).map(({ title, about, names, isOpen, kind }) => (
        <details key={kind} className="rights-group" data-source={kind} open={isOpen}>
          <summary>
            <h3>{title}</h3>
            <span className="rights-facts">{names.length}</span>
            <span className="rights-about">{about}</span>
          </summary>
          <ul className="variable-names" aria-label={title}>
            {names.map((name) => (
              <li key={name}>
                <code>{shownText(name)}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}
