import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ListenAddress } from '../../protocol/exec-server/exec-server-listener.ts';
import { parseListenUrl } from '../../protocol/exec-server/listen-url.ts';
import { finish } from '../cli-error.ts';
import { clientAuth, WS_AUTH_MODES, type ClientAuth, type ClientAuthArguments } from '../client-auth.ts';
import type { ControlUse } from '../serve.ts';

interface ServeArguments extends Omit<ClientAuthArguments, 'isStdio'> {
  readonly listen: ListenAddress | 'stdio';
  readonly control?: boolean;
  readonly approvals: 'ask' | 'refuse';
}

/** `shellscope serve` */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('host sessions without a window; agents connect by the exec-server protocol')
    .addOption(
      new Option(
        '--listen <url>',
        'ws://IP:PORT, where port 0 takes a free one, or stdio: one client, on stdin and stdout',
      )
        .default(parseListenUrl('ws://127.0.0.1:0'), 'ws://127.0.0.1:0')
        .argParser(listenAddress),
    )
    .option('--token-file <path>', 'file with the bearer token (mode 0600); made when it does not exist')
    .addOption(new Option('--no-auth', 'let everybody in who can reach the port; for tests'))
    .addOption(
      new Option(
        '--ws-auth <mode>',
        'as of codex exec-server: capability-token takes the token of --ws-token-file or --ws-token-sha256; no other mode is served',
      ).choices(WS_AUTH_MODES),
    )
    .option('--ws-token-file <path>', 'file with the token that clients must send (mode 0600)')
    .option('--ws-token-sha256 <hex>', 'SHA-256 of the token that clients must send, 64 hexadecimal digits')
    // Of the mode that is not served: the refusal of that says more than one of an unknown option.
    .addOption(new Option('--ws-shared-secret-file <path>').hideHelp())
    .addOption(new Option('--ws-issuer <issuer>').hideHelp())
    .addOption(new Option('--ws-audience <audience>').hideHelp())
    .option('--control', 'be the host of `shellscope run` and its like, or fail (default: when no other host is)')
    .option('--no-control', 'leave the control socket to another host')
    .addOption(
      new Option(
        '--approvals <answer>',
        "what becomes of a question about an agent's command: ask waits for `shellscope approvals`",
      )
        .choices(['ask', 'refuse'])
        .default('refuse'),
    )
    .addHelpText(
      'after',
      `
Prints the URL on the first line and the path of the token file, where there is one, on the second.
Clients send \`Authorization: Bearer TOKEN\`; a token of \`shellscope connect NAME\` is always taken as well.
GET /readyz answers 200. SIGTERM ends every child.
On stdio nothing but frames is printed, one a line; the end of stdin ends every child. There the control socket is taken
only with --control.`,
    )
    .action(({ listen, control, approvals, ...given }: ServeArguments, command: Command) => {
      let auth: ClientAuth;
      try {
        auth = clientAuth({ ...given, isStdio: listen === 'stdio' });
      } catch (error) {
        command.error(`error: ${error instanceof Error ? error.message : String(error)}`);
      }
      const use: ControlUse = control === undefined ? 'try' : control ? 'take' : 'leave';
      const host = async () => {
        const { serve, serveStdio } = await import('../serve.ts');
        return listen === 'stdio'
          ? serveStdio(control === undefined ? 'leave' : use)
          : serve({ address: listen, auth, control: use, approvals });
      };
      // A client that stopped reading would keep this process for ever by what it is still owed.
      return finish(host, { ownsOutput: true, flush: false });
    });
}

function listenAddress(text: string): ListenAddress | 'stdio' {
  if (text === 'stdio' || text === 'stdio://') {
    return 'stdio';
  }
  if (!text.startsWith('ws://')) {
    throw new InvalidArgumentError(`unsupported --listen URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\``);
  }
  try {
    return parseListenUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
