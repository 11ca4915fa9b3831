import { tomlString } from './mcp-configuration.ts';

/** What stands for the token where it is shown. */
export const MASKED_TOKEN = '••••••••••••';

/**
 * Block for `~/.codex/environments.toml` that makes Codex run its commands here. `include_local = false` matters: with
 * the default Codex runs a command on its own machine, without a word, when this host cannot be reached. An empty token
 * is left out: the host asks for none.
 */
export function codexEnvironments(connection: { readonly execServerUrl: string; readonly token: string }): string {
  return [
    'default = "shellscope"',
    'include_local = false',
    '',
    '[[environments]]',
    'id = "shellscope"',
    `url = ${tomlString(connection.execServerUrl)}`,
    ...(connection.token === '' ? [] : [`auth_bearer_token = ${tomlString(connection.token)}`]),
    '',
  ].join('\n');
}
