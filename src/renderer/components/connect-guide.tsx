import { useId, useState, type ReactNode } from 'react';
import type { ConnectionInfo } from '../../shared/ipc.ts';
import { connectedLines, connectedText } from '../text/agents-text.ts';
import { useConnection } from '../window/window-model.ts';
import { AGENT_KINDS, ConnectWays, type AgentKind } from './connect-ways.tsx';
import { WarningIcon } from './icons.tsx';
import { InOrder } from './in-order.tsx';

/** How an agent gets its shells here: lines to paste, and the proof that it worked. */
export function ConnectGuide(): ReactNode {
  const state = useConnection();
  return (
    <section className="connect-guide">
      <div className="connect-title">
        <h2>Connect an agent</h2>
        {state.kind === 'known' && state.connection.execServerUrl !== null ? (
          <Proof connection={state.connection} />
        ) : null}
      </div>
      {state.kind === 'unreachable' ? (
        <Problem text={`It is not known how agents can connect. ${state.reason}`} />
      ) : null}
      {state.kind === 'known' ? <Choice connection={state.connection} /> : null}
    </section>
  );
}

function Choice({ connection }: { readonly connection: ConnectionInfo }): ReactNode {
  const { execServerUrl, problem } = connection;
  const [kind, setKind] = useState<AgentKind>('codex');
  const group = useId();
  return (
    <>
      {problem === null ? null : <Problem text={problem} />}
      {execServerUrl === null ? (
        problem === null && <Problem text="Shellscope does not listen for agents." />
      ) : (
        <>
          <fieldset className="agent-kinds">
            <legend className="visually-hidden">Which agent</legend>
            {AGENT_KINDS.map(({ kind: offered, name }) => (
              <label key={offered}>
                <input type="radio" name={group} checked={offered === kind} onChange={() => setKind(offered)} />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
          <ConnectWays kind={kind} connection={connection} execServerUrl={execServerUrl} />
        </>
      )}
    </>
  );
}

function Proof({ connection }: { readonly connection: ConnectionInfo }): ReactNode {
  const connected = connectedText(connection);
  return (
    <p
      className="proof"
      role="status"
      aria-label="Connected agents"
      data-connected={connected !== null || undefined}
      title={connected === null ? undefined : connectedLines(connection)}
    >
      {connected === null ? 'waiting for an agent…' : <InOrder text={connected} />}
    </p>
  );
}

function Problem({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="connect-problem" role="alert">
      <WarningIcon />
      <p>{text}</p>
    </div>
  );
}
