import { useRef, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { ShownGrant } from '../../shared/session-rights.ts';
import { grantCount, grantFacts, grantGroups } from '../text/rights-text.ts';
import { clientName, commandText, shortText } from '../text/session-text.ts';
import { useWindowModel } from '../window/window-model.ts';
import { OverPanel } from './over-panel.tsx';
import { WholeWords } from './whole-words.tsx';

/** What agents were allowed for longer than once, and may do unasked until it is taken back. */
export function GrantsPanel(): ReactNode {
  const { rights } = useWindowModel().controller;
  const isOpen = useStore(rights.open, ({ panel }) => panel === 'grants');
  return isOpen ? <OpenPanel /> : null;
}

function OpenPanel(): ReactNode {
  const { rights } = useWindowModel().controller;
  const grants = useStore(rights.grants.store);
  const panel = useRef<HTMLDivElement>(null);
  return (
    <OverPanel
      id="grants-panel"
      title="Allowed commands"
      about="What you allowed agents to run without asking again. Permanent rules are in the settings file."
      panel={panel}
      onClose={() => rights.close()}
    >
      <p role="status" className={grants === null || grants.length > 0 ? 'visually-hidden' : undefined}>
        {grants === null ? '' : grantCount(grants.length)}
      </p>
      {grantGroups(grants ?? []).map(({ client, grants: ofClient }) => (
        <section key={client} className="rights-group" aria-label={`Allowed to ${clientName(client)}`}>
          <h3>{clientName(client)}</h3>
          <ul>
            {ofClient.map((grant) => (
              <GrantRow key={grant.id} grant={grant} beforeRevoke={() => panel.current?.focus()} />
            ))}
          </ul>
        </section>
      ))}
    </OverPanel>
  );
}

function GrantRow({
  grant,
  beforeRevoke,
}: {
  readonly grant: ShownGrant;
  /** The button goes with its grant; the focus stays in the panel. */
  readonly beforeRevoke: () => void;
}): ReactNode {
  const { rights } = useWindowModel().controller;
  const command = commandText(grant);
  return (
    <li className="grant">
      <code>
        <WholeWords text={command} />
      </code>
      <span className="rights-facts">{grantFacts(grant).join(' · ')}</span>
      <button
        type="button"
        aria-label={`Revoke: ${shortText(command)}`}
        title="What already runs goes on"
        onClick={() => {
          beforeRevoke();
          void rights.revoke(grant);
        }}
      >
        Revoke
      </button>
    </li>
  );
}
