import type { ReactNode } from 'react';
import type { ConnectionInfo } from '../../shared/ipc.ts';
import { codexEnvironments, MASKED_TOKEN } from '../../shared/codex-configuration.ts';
import { useConnection } from '../window-model.ts';
import { CopyButton } from './copy-button.tsx';
import { WarningIcon } from './icons.tsx';

/** How an agent gets its shells here: lines to paste, and the proof that it worked. */
export function ConnectGuide(): ReactNode {
  const state = useConnection();
  return (
    <section className="connect-guide">
      <div className="connect-title">
        <h2>Connect an agent</h2>
        {state.kind === 'known' && state.connection.execServerUrl !== null ? (
          <Proof clients={state.connection.clients} />
        ) : null}
      </div>
      {state.kind === 'unreachable' ? (
        <Problem text={`It is not known how agents can connect. ${state.reason}`} />
      ) : null}
      {state.kind === 'known' ? <Ways connection={state.connection} /> : null}
    </section>
  );
}

function Ways({ connection }: { readonly connection: ConnectionInfo }): ReactNode {
  const { execServerUrl, problem, token, tokenFile } = connection;
  return (
    <>
      {problem === null ? null : <Problem text={problem} />}
      {execServerUrl === null ? (
        problem === null && <Problem text="Shellscope does not listen for agents." />
      ) : (
        <>
          <section className="way">
            <div className="way-title">
              <h3>Codex</h3>
              <CopyButton
                subject="the block for Codex, with the token"
                text={codexEnvironments({ execServerUrl, token })}
              />
            </div>
            <p>
              Put this into <code>~/.codex/environments.toml</code> and start Codex as usual.
            </p>
            <pre tabIndex={0} aria-label="Block for environments.toml, token hidden">
              {codexEnvironments({ execServerUrl, token: token === '' ? '' : MASKED_TOKEN }).trimEnd()}
            </pre>
          </section>
          <section className="way">
            <div className="way-title">
              <h3>Any exec-server client</h3>
            </div>
            <dl className="copy-list">
              <dt>URL</dt>
              <dd>
                <code>{execServerUrl}</code>
                <CopyButton subject="the URL" text={execServerUrl} />
              </dd>
              <dt>Token file</dt>
              <dd>
                <code>{tokenFile}</code>
                <CopyButton subject="the path of the token file" text={tokenFile} />
              </dd>
            </dl>
          </section>
        </>
      )}
    </>
  );
}

function Proof({ clients }: { readonly clients: number }): ReactNode {
  return (
    <p className="proof" role="status" data-connected={clients > 0 || undefined}>
      {proofText(clients)}
    </p>
  );
}

function proofText(clients: number): string {
  if (clients === 0) {
    return 'waiting for an agent…';
  }
  return clients === 1 ? '1 agent connected' : `${clients} agents connected`;
}

function Problem({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="connect-problem" role="alert">
      <WarningIcon />
      <p>{text}</p>
    </div>
  );
}
