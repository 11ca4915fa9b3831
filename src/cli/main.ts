import { Command, InvalidArgumentError, Option } from 'commander';
import { parseListenUrl, type ListenAddress } from '../protocol/exec-server/exec-server-listener.ts';
import { APP_VERSION } from '../shared/version.ts';
import { clientAuth, WS_AUTH_MODES, type ClientAuth, type ClientAuthArguments } from './client-auth.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { serve, serveStdio } from './serve.ts';

const program = new Command('shellscope')
  .description('Hosts the shells of coding agents: agents drive sessions, a developer watches every one.')
  .version(APP_VERSION)
  .showHelpAfterError('(shellscope --help lists what there is)');

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
  .addHelpText(
    'after',
    '\nPrints the URL on the first line and the path of the token file, where there is one, on the second.\nClients send `Authorization: Bearer TOKEN`; a token of `shellscope connect NAME` is always taken as well.\nGET /readyz answers 200. SIGTERM ends every child.\nOn stdio nothing but frames is printed, one a line; the end of stdin ends every child.',
  )
  .action(async ({ listen, ...given }: ServeArguments, command: Command) => {
    let auth: ClientAuth;
    try {
      auth = clientAuth({ ...given, isStdio: listen === 'stdio' });
    } catch (error) {
      command.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (listen !== 'stdio') {
      process.exitCode = await serve({ address: listen, auth });
    } else {
      // Not by `exitCode`: what a client that stopped reading was still owed would keep this process for ever.
      process.exit(await serveStdio());
    }
  });

program
  .command('connect')
  .description('give a client a token of its own, and print what to put into its configuration')
  .argument('[name]', 'how the client is called in the window')
  .option('--list', 'show the clients that have a token', false)
  .option('--revoke <name>', "take a client's token back")
  .option('--json', 'print JSON', false)
  .action(async (name: string | undefined, options: Omit<ConnectOptions, 'name'>) => {
    process.exitCode = await connect({ ...options, name });
  });

interface ServeArguments extends Omit<ClientAuthArguments, 'isStdio'> {
  readonly listen: ListenAddress | 'stdio';
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

await program.parseAsync();
