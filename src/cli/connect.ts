import { ClientTokens, clientTokensFolder } from '../engine/engine.ts';
import { codexEnvironments } from '../shared/codex-configuration.ts';
import { DEFAULT_EXEC_SERVER_PORT } from '../shared/limits.ts';

export interface ConnectOptions {
  readonly name: string | undefined;
  readonly list: boolean;
  readonly revoke: string | undefined;
  readonly json: boolean;
}

/** Makes, lists and revokes tokens of clients. Answers the exit code: 1 with a sentence on stderr when it could not. */
export async function connect({ name, list, revoke, json }: ConnectOptions): Promise<number> {
  const tokens = new ClientTokens(clientTokensFolder(process.env));
  if (list) {
    const clients = tokens.list();
    const lines = clients.map((client) => `${client.name}\t${new Date(client.createdAtMs).toISOString()}\n`);
    process.stdout.write(json ? `${JSON.stringify(clients)}\n` : lines.join(''));
    return 0;
  }
  if (revoke !== undefined) {
    return (await tokens.revoke(revoke))
      ? 0
      : fail(`no client is called '${revoke}'; --list shows those that are known`);
  }
  if (name === undefined) {
    return fail(
      'say the name of the client that shall connect, e.g. `shellscope connect codex`; or --list, --revoke NAME',
    );
  }
  let token: string;
  try {
    token = await tokens.create(name);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  const execServerUrl = `ws://127.0.0.1:${DEFAULT_EXEC_SERVER_PORT}`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ name, execServerUrl, token })}\n`
      : `# Token of '${name}', shown once. For Codex, put this into ~/.codex/environments.toml:\n` +
          codexEnvironments({ execServerUrl, token }),
  );
  return 0;
}

function fail(why: string): number {
  process.stderr.write(`shellscope: ${why}\n`);
  return 1;
}
