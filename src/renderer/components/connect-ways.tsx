import type { ReactNode } from 'react';
import { codexEnvironments, MASKED_TOKEN } from '../../shared/codex-configuration.ts';
import type { ConnectionInfo } from '../../shared/ipc.ts';
import { claudeMcpAdd, codexMcpServer, mcpServersJson, vscodeMcpJson } from '../../shared/mcp-configuration.ts';
import { CopyButton } from './copy-button.tsx';

/** What there are lines for, in the order in which it is offered. */
export const AGENT_KINDS = [
  { kind: 'codex', name: 'Codex' },
  { kind: 'claude', name: 'Claude Code' },
  { kind: 'vscode', name: 'VS Code' },
  { kind: 'mcp', name: 'Any MCP client' },
  { kind: 'exec-server', name: 'Exec-server' },
] as const;

export type AgentKind = (typeof AGENT_KINDS)[number]['kind'];

interface ConnectWaysProps {
  readonly kind: AgentKind;
  readonly connection: ConnectionInfo;
  readonly execServerUrl: string;
}

/** The lines for one kind of agent, each with a button that copies it. */
export function ConnectWays({ kind, connection, execServerUrl }: ConnectWaysProps): ReactNode {
  const { mcp, token, tokenFile } = connection;
  switch (kind) {
    case 'codex':
      return (
        <>
          <Way
            title="All of its commands"
            subject="the block for Codex, with the token"
            text={codexEnvironments({ execServerUrl, token })}
            shown={codexEnvironments({ execServerUrl, token: token === '' ? '' : MASKED_TOKEN })}
            label="Block for environments.toml, token hidden"
          >
            Add this to <code>~/.codex/environments.toml</code>, and every command that Codex runs appears here.
          </Way>
          <Way
            title="Or extra tools, over MCP"
            subject="the MCP block for Codex"
            text={codexMcpServer(mcp)}
            label="Block for config.toml"
          >
            Add this to <code>~/.codex/config.toml</code>. Codex gets interactive shells beside its own.
          </Way>
        </>
      );
    case 'claude':
      return (
        <Way
          title="For all your projects"
          subject="the line for Claude Code"
          text={claudeMcpAdd(mcp)}
          label="Line for Claude Code"
        >
          Run this in a terminal, then start Claude Code as usual.
        </Way>
      );
    case 'vscode':
      return (
        <Way title="In a project" subject="the block for VS Code" text={vscodeMcpJson(mcp)} label="Block for mcp.json">
          Add this to <code>.vscode/mcp.json</code>.
        </Way>
      );
    case 'mcp':
      return (
        <>
          <Way
            title="Over stdio"
            subject="the block for MCP clients"
            text={mcpServersJson(mcp)}
            label="Block for MCP clients"
          >
            Add this to its configuration, often <code>.mcp.json</code>.
          </Way>
          <section className="way">
            <h3>Or over HTTP</h3>
            <Places url={`${execServerUrl.replace(/^ws/, 'http')}/mcp`} tokenFile={tokenFile} />
          </section>
        </>
      );
    case 'exec-server':
      return (
        <section className="way">
          <h3>Any client of the exec-server protocol</h3>
          <Places url={execServerUrl} tokenFile={tokenFile} />
        </section>
      );
  }
}

interface WayProps {
  readonly title: string;
  /** What the button copies, in words. */
  readonly subject: string;
  readonly text: string;
  /** What is seen of it; default: all. */
  readonly shown?: string;
  /** Of the text, for those who do not see it. */
  readonly label: string;
  /** What to do with it. */
  readonly children: ReactNode;
}

function Way({ title, subject, text, shown = text, label, children }: WayProps): ReactNode {
  return (
    <section className="way">
      <div className="way-title">
        <h3>{title}</h3>
        <CopyButton subject={subject} text={text} />
      </div>
      <p>{children}</p>
      <pre tabIndex={0} aria-label={label}>
        {shown.trimEnd()}
      </pre>
    </section>
  );
}

function Places({ url, tokenFile }: { readonly url: string; readonly tokenFile: string }): ReactNode {
  return (
    <dl className="copy-list">
      <dt>URL</dt>
      <dd>
        <code>{url}</code>
        <CopyButton subject="the URL" text={url} />
      </dd>
      <dt>Token file</dt>
      <dd>
        <code>{tokenFile}</code>
        <CopyButton subject="the path of the token file" text={tokenFile} />
      </dd>
    </dl>
  );
}
